import type { en } from './en.ts';
import type { Language } from './languages.ts';

/** `items_one` and `items_other` are asked for as `items`, with a count. */
type PluralStem<Key extends string> = Key extends `${infer Stem}_${'one' | 'other'}` ? Stem : never;

type KeysOf<Texts, Prefix extends string = ''> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? `${Prefix}${Key | PluralStem<Key>}`
    : KeysOf<Texts[Key], `${Prefix}${Key}.`>;
}[keyof Texts & string];

/** The name of a text: its path in the locale. */
export type TextKey = KeysOf<typeof en>;

/** What a text has places for. A `count` also chooses the plural. */
export type TextValues = Record<string, string | number>;

export type Translate = (key: TextKey, values?: TextValues) => string;

/** One language's texts, ready to be asked for. */
export interface Translation {
  language: Language;
  t: Translate;
  /** Whether there is such a text, for keys that come from data. */
  has: (key: string) => boolean;
}

/** A text's words and, at every odd place, the name of a value. One that is not given is left as `{{name}}`. */
type Template = readonly string[];

const placePattern = /\{\{(\w+)\}\}/;

/**
 * Answers texts by key; each is looked up and parsed once. What is asked for most is the server's hottest code after
 * rendering itself. A key that is not there stands for itself.
 */
export function createTranslation(language: Language, texts: object): Translation {
  const rules = new Intl.PluralRules(language);
  const find = remembering((key) => textAt(texts, key)?.split(placePattern) ?? null);
  const findPlural = remembering((name) => {
    const stem = name.slice(0, name.lastIndexOf('_'));
    return find(name) ?? find(`${stem}_other`) ?? find(stem);
  });

  const t: Translate = (key, values) => {
    const template =
      typeof values?.count === 'number' ? findPlural(`${key}_${rules.select(values.count)}`) : find(key);
    return template ? fill(template, values) : key;
  };
  return { language, t, has: (key) => find(key) !== null };
}

/** Remembers what was found, and only that: keys of nothing may come from anywhere, and would be kept for ever. */
function remembering(find: (key: string) => Template | null): (key: string) => Template | null {
  const known = new Map<string, Template>();
  return (key) => {
    const found = known.get(key) ?? find(key);
    if (found) known.set(key, found);
    return found;
  };
}

function textAt(texts: object, key: string): string | null {
  let found: unknown = texts;
  for (const name of key.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  return typeof found === 'string' ? found : null;
}

function fill(template: Template, values: TextValues = {}): string {
  let text = template[0] ?? '';
  for (let place = 1; place < template.length; place += 2) {
    const name = template[place] ?? '';
    text += `${values[name] ?? `{{${name}}}`}${template[place + 1]}`;
  }
  return text;
}
