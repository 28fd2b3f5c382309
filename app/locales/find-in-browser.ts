import type { Language } from './languages.ts';
import type { FindText } from './translation.ts';

/**
 * Finds texts in the browser as i18next does on the server: by path, and in the language's plural for a
 * count. i18next itself would be a tenth of a page's bytes; a test compares the answers of both. Texts may be
 * added to the object later.
 */
export function findInBrowser(language: Language, texts: object): FindText {
  const plurals = new Intl.PluralRules(language);
  return (key, count) => {
    const plural = count === undefined ? null : textAt(texts, `${key}_${plurals.select(count)}`);
    return plural ?? textAt(texts, key);
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
