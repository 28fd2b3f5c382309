import type { Language } from './languages.ts';

/** Texts by the names in their keys. */
export type Texts = { [name: string]: string | Texts };

/** The texts that a browser has of its language. They grow as pages ask for more. */
export interface BrowserTexts {
  texts: Texts;
  /**
   * Loads the texts that are still missing for these pages and areas; null if all are there. The same names
   * return the same promise.
   */
  load: (names: readonly string[]) => Promise<unknown> | null;
}

/** Texts that could not be loaded are tried again after this time. */
const RETRY_AFTER_MS = 3_000;

/** Returns the address of the file with the texts of a page, or of a whole area, in a language. */
export const addressOfTexts = (language: Language, name: string): string =>
  `${import.meta.env.TEXTS_FOLDER}/${language}/${name}.js`;

/** During development there is no such file, and all texts come at once. */
async function importTexts(language: Language, name: string): Promise<Texts> {
  if (import.meta.env.DEV)
    return language === 'ru' ? (await import('./ru.ts')).ru : (await import('./en.ts')).en;
  return (await import(/* @vite-ignore */ addressOfTexts(language, name))).default;
}

function addTo(known: Texts, texts: Texts): void {
  for (const [name, text] of Object.entries(texts)) {
    const inner = known[name];
    if (typeof text === 'string' || typeof inner !== 'object') known[name] = text;
    else addTo(inner, text);
  }
}

export function createBrowserTexts(language: Language): BrowserTexts {
  const texts: Texts = {};
  const there = new Set<string>();
  const coming = new Map<string, Promise<unknown>>();

  async function loadOne(name: string): Promise<void> {
    addTo(texts, await importTexts(language, name));
    there.add(name);
  }

  function load(names: readonly string[]) {
    const missing = ['frame', ...names].filter((name) => !there.has(name));
    if (missing.length === 0) return null;
    const key = missing.join(' ');
    const known = coming.get(key);
    if (known) return known;
    const loading = Promise.all(missing.map(loadOne));
    coming.set(key, loading);
    const clear = () => coming.delete(key);
    // A component that waits for these is drawn again when they fail, and must then find the failure, not
    // another attempt.
    loading.then(clear, () => setTimeout(clear, RETRY_AFTER_MS));
    return loading;
  }
  return { texts, load };
}
