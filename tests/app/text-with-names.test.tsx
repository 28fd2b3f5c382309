import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { TextWithNames, TranslationContext } from '#app/components/text/translation.tsx';
import { languages } from '#app/locales/languages.ts';
import type { TextKey, TextValues } from '#app/locales/translation.ts';
import { translations } from '#app/services/translations.server.ts';

const draw = (text: TextKey, values: TextValues, language: (typeof languages)[number] = 'en') =>
  renderToStaticMarkup(
    <TranslationContext value={translations(language)}>
      <TextWithNames text={text} values={values} />
    </TranslationContext>,
  );

test('A name that is written from right to left stands alone in its sentence', () => {
  const values = { item: '3 מפתחות', channel: 'שלום 5', rule: '<b>קבוע</b>' };
  expect(draw('progress.trade.from', values)).toBe(
    '<bdi>3 מפתחות</bdi> · from <bdi>שלום 5</bdi>, “<bdi>&lt;b&gt;קבוע&lt;/b&gt;</bdi>”',
  );
});

test.each(languages)('Without its marks the text is the same in %s, also in the plural', (language) => {
  const { t } = translations(language);
  for (const [text, values] of [
    ['dashboard.tasks.lowText', { rule: 'Mira', count: 1 }],
    ['dashboard.tasks.lowText', { rule: 'Mira', count: 5 }],
    ['progress.forRule', {}],
  ] as const)
    expect(draw(text, values, language).replace(/<\/?bdi>/g, '')).toBe(t(text, values));
});
