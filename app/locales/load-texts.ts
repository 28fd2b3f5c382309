import { commonAreas, type TextArea } from './areas.ts';
import type { Language } from './languages.ts';

// A file for each area and language; the build decides which of them travel together.
const files = import.meta.glob<Record<string, object>>('./{en,ru}/*.ts');
const fileOf = (language: Language, area: TextArea) => `./${language}/${area.replace('_', '-')}.ts`;

/** The texts that a browser has of its language. They grow as pages ask for more. */
export interface BrowserTexts {
  /** By area, as the keys have them. */
  texts: Partial<Record<TextArea, object>>;
  /** What still has to come for these areas, or null when all is there. The same areas are given the same promise. */
  load: (areas: readonly TextArea[]) => Promise<unknown> | null;
}

export function createBrowserTexts(language: Language): BrowserTexts {
  const texts: BrowserTexts['texts'] = {};
  const coming = new Map<string, Promise<unknown>>();

  async function loadArea(area: TextArea): Promise<void> {
    const file = await files[fileOf(language, area)]?.();
    // Each file has one export, which is its area.
    if (file) texts[area] = Object.values(file)[0];
  }

  function load(areas: readonly TextArea[]) {
    const missing = [...commonAreas, ...areas].filter((area) => !texts[area]);
    if (missing.length === 0) return null;
    const key = missing.join(' ');
    const known = coming.get(key) ?? Promise.all(missing.map(loadArea)).finally(() => coming.delete(key));
    coming.set(key, known);
    return known;
  }
  return { texts, load };
}
