import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { useTraits } from '#app/components/items/item-words.ts';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { translations } from '#app/services/translations.server.ts';

function traitsOf(language: 'en' | 'ru', traits: string, wear: string): string {
  const Line = () => useTraits()(traits, wear).join(' · ');
  return renderToString(
    createElement(TranslationContext, { value: translations(language) }, createElement(Line)),
  );
}

test('The traits of a piece name its wear once, in four decimals and the page’s language', () => {
  const [traits, wear] = ['Sticker: Demo\nWear Rating: 0.152647752', '0.152647752'];
  expect(traitsOf('en', traits, wear)).toBe('wear 0.1526 · Sticker: Demo');
  expect(traitsOf('ru', traits, wear)).toBe('износ 0.1526 · Sticker: Demo');
  expect(traitsOf('ru', traits, '')).toBe('износ 0.1526 · Sticker: Demo');
  expect(traitsOf('en', '', '')).toBe('');
});
