import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { useItemMeta } from '#app/components/items/item-facts.ts';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { translations } from '#app/services/translations.server.ts';

const rifle = {
  typeLine: 'Covert Rifle',
  typeTag: 'CSGO_Type_Rifle',
  rarityTag: 'Rarity_Ancient_Weapon',
  exterior: 'Field-Tested',
  wear: '0.152647752',
};

function lineOf(language: 'en' | 'ru', item: Parameters<ReturnType<typeof useItemMeta>>[0]): string {
  const Line = () => useItemMeta()(item);
  return renderToString(
    createElement(TranslationContext, { value: translations(language) }, createElement(Line)),
  );
}

test('The line below an item names its wear once, in four decimals and the page’s language', () => {
  const traits = 'Sticker: Demo\nWear Rating: 0.152647752';
  expect(lineOf('en', { ...rifle, traits })).toMatch(/· wear 0\.1526 · Sticker: Demo$/);
  expect(lineOf('ru', { ...rifle, traits })).toMatch(/· износ 0\.1526 · Sticker: Demo$/);
  expect(lineOf('ru', { ...rifle, traits, wear: '' })).toMatch(/· износ 0\.1526 · Sticker: Demo$/);
  expect(lineOf('en', { ...rifle, traits: '', wear: '' })).not.toContain('wear');
});
