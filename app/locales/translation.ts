import { isolated } from '#platform/isolated.ts';
import type { en } from './en.ts';
import type { Language } from './languages.ts';

/** `items_one` and `items_other` are used as `items`, with a count. */
type PluralStem<Key extends string> = Key extends `${infer Stem}_${'one' | 'other'}` ? Stem : never;

type KeysOf<Texts, Prefix extends string = ''> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? `${Prefix}${Key | PluralStem<Key>}`
    : KeysOf<Texts[Key], `${Prefix}${Key}.`>;
}[keyof Texts & string];

/** The name of a text: its path in the locale. */
export type TextKey = KeysOf<typeof en>;

/** The values for a text's places. A `count` also chooses the plural. */
export type TextValues = Record<string, string | number>;

/** Finds a text and fills it in. Values are isolated, as they may be names that people chose. */
export type Translate = (key: TextKey, values?: TextValues) => string;

/** The texts of one language, ready for use. */
export interface Translation {
  language: Language;
  t: Translate;
  /** Returns whether there is such a text, for keys that come from data. */
  has: (key: string) => boolean;
}

/** A text's words and, at every odd index, the name of a value. A missing value is shown as `{{name}}`. */
type Template = readonly string[];

const placePattern = /\{\{(\w+)\}\}/;

/** Finds a text in one language, in the plural for a count if one is given; null if there is no such text. */
export type FindText = (key: string, count: number | undefined) => string | null;

/**
 * Looks texts up by key. Each is found once and cached split at its places, because looking it up for every
 * use took a third of the time to draw a page. A key without a text is shown itself.
 */
export function createTranslation(language: Language, findText: FindText): Translation {
  const plurals = new Intl.PluralRules(language);
  const known = new Map<string, Template>();

  /** Only texts that exist are cached, because unknown keys may come from anywhere. */
  const find = (key: string, count: number | undefined): Template | null => {
    const name = count === undefined ? key : `${key} ${plurals.select(count)}`;
    const cached = known.get(name);
    if (cached) return cached;
    const template = findText(key, count)?.split(placePattern);
    if (!template) return null;
    known.set(name, template);
    return template;
  };

  const t: Translate = (key, values) => {
    const count = values?.count;
    const template = find(key, typeof count === 'number' ? count : undefined);
    return template ? fill(template, values) : key;
  };
  return { language, t, has: (key) => find(key, undefined) !== null };
}

function fill(template: Template, values: TextValues = {}): string {
  let text = template[0] ?? '';
  for (let place = 1; place < template.length; place += 2) {
    const name = template[place] ?? '';
    const value = values[name] ?? `{{${name}}}`;
    const shown = typeof value === 'string' ? isolated(value) : String(value);
    text += shown + wordsAfter(shown, template[place + 1] ?? '');
  }
  return text;
}

/** A value with a full stop of its own, as in “8 дек.” or “2026 г.”, ends the sentence too. */
const wordsAfter = (value: string, words: string): string =>
  value.endsWith('.') && words.startsWith('.') ? words.slice(1) : words;
