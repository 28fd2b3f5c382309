import { createContext, use } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Still, StillContext } from '#app/components/shell/still.tsx';
import { TranslationContext, useTranslation } from '#app/components/text/translation.tsx';
import { stillMarkup } from '#app/http/still-markup.server.tsx';
import type { Language } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';

let drawings = 0;

function Greeting({ name }: { name: string }) {
  const { t } = useTranslation();
  drawings += 1;
  return (
    <>
      {t('shell.skip')} {name} & <b>{name.length}</b>
    </>
  );
}

const Around = createContext('nothing');
const Sibling = () => <i>{use(Around)}</i>;

/** A page with a still part between others, as the server renders it and as a browser hydrates it. */
function rendered(name: string, language: Language = 'en') {
  const page = (
    <TranslationContext value={translations(language)}>
      <Around value="something">
        <Sibling />
        <Still className="part" of={Greeting} facts={{ name }} />
        <Sibling />
      </Around>
    </TranslationContext>
  );
  const before = drawings;
  const server = renderToString(<StillContext value={stillMarkup(language)}>{page}</StillContext>);
  return { server, drawn: drawings - before, browser: renderToString(page) };
}

test('The server draws a still part once for its facts and language, and as a browser expects it', () => {
  const first = rendered('<mira>');
  expect(first.server).toBe(first.browser);
  expect(first.server).toContain('&lt;mira&gt;');
  expect(first.drawn).toBe(1);
  expect(rendered('<mira>')).toEqual({ ...first, drawn: 0 });
  const other = rendered('petra');
  expect(other.drawn).toBe(1);
  expect(other.server).toBe(other.browser);
  const russian = rendered('petra', 'ru');
  expect(russian.drawn).toBe(1);
  expect(russian.server).toBe(russian.browser);
  expect(russian.server).not.toBe(other.server);
});

test('Very many facts do not fill the memory: a part is drawn again, and is the same', () => {
  const first = rendered('viewer 0');
  for (let viewer = 1; viewer <= 1250; viewer++) rendered(`viewer ${viewer}`);
  expect(rendered('viewer 0')).toEqual(first);
});
