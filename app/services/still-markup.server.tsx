import type { ComponentType } from 'react';
import { renderToString } from 'react-dom/server';
import type { DrawStill } from '#app/components/shell/still.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import type { Language } from '#app/locales/languages.ts';
import { translations } from './translations.server.ts';

type Drawings = Map<unknown, Map<string, { __html: string }>>;

/** Per component. Most have few; the switches have one for each page that they lead back to. */
const MAX_DRAWINGS = 200;

function drawerFor(language: Language): DrawStill {
  const drawings: Drawings = new Map();
  return <Facts extends object>(Content: ComponentType<Facts>, facts: Facts) => {
    const known = drawings.get(Content) ?? new Map<string, { __html: string }>();
    drawings.set(Content, known);
    const key = JSON.stringify(facts);
    const found = known.get(key);
    if (found) return found;
    const drawing = {
      __html: renderToString(
        <TranslationContext value={translations(language)}>
          <Content {...facts} />
        </TranslationContext>,
      ),
    };
    if (known.size >= MAX_DRAWINGS) known.clear();
    known.set(key, drawing);
    return drawing;
  };
}

const drawers: Record<Language, DrawStill> = { en: drawerFor('en'), ru: drawerFor('ru') };

/** Draws the still parts of pages in a language, each once. */
export const stillMarkup = (language: Language): DrawStill => drawers[language];
