import { renderToString } from 'react-dom/server';
import type { DrawStill } from '#app/components/shell/still.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import type { Language } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';
import { boundedCache } from '#platform/bounded-cache.ts';

/** Most parts have few drawings; the switches have one for each page that they lead back to. */
const drawings = boundedCache<string, { __html: string }>('stillParts', 500);
/** An address that the switches lead back to can be as long as a request's headers: such parts are drawn each time. */
const MAX_CACHED_FACTS = 1000;

const numbers = new WeakMap<object, number>();
let last = 0;

/** Names a component: its own name is not unique. */
function numberOf(component: object): number {
  const known = numbers.get(component) ?? ++last;
  numbers.set(component, known);
  return known;
}

function drawerFor(language: Language): DrawStill {
  return (Content, facts) => {
    const described = JSON.stringify(facts);
    const key = `${language} ${numberOf(Content)} ${described}`;
    const found = drawings.get(key);
    if (found) return found;
    const drawing = {
      __html: renderToString(
        <TranslationContext value={translations(language)}>
          <Content {...facts} />
        </TranslationContext>,
      ),
    };
    if (described.length <= MAX_CACHED_FACTS) drawings.set(key, drawing);
    return drawing;
  };
}

const drawers: Record<Language, DrawStill> = { en: drawerFor('en'), ru: drawerFor('ru') };

/** Draws the still parts of pages in a language, each once. */
export const stillMarkup = (language: Language): DrawStill => drawers[language];
