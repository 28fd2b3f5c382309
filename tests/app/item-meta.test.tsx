import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { splitTraits } from '#app/components/items/item-words.ts';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { translations } from '#app/services/translations.server.ts';

const pistol = {
  typeLine: 'StatTrak™ Restricted Pistol',
  typeTag: 'CSGO_Type_Pistol',
  rarityTag: 'Rarity_Mythical_Weapon',
  exterior: 'Field-Tested',
};
const drawn = (facts: { traits?: string; wear?: string }) =>
  renderToStaticMarkup(
    <TranslationContext value={translations('en')}>
      <ItemMeta item={{ ...pistol, ...facts }} />
    </TranslationContext>,
  );

test('Each sticker of a piece is a sign, and all are named on one button', () => {
  const html = drawn({ traits: 'Sticker: Demo Wing (Gold), Demo Star\nSticker: Demo Star' });
  expect(html.match(/<svg viewBox="0 0 160 96"/g)).toHaveLength(3);
  expect(html.match(/<button/g)).toHaveLength(1);
  expect(html).toContain('Applied: Demo Wing (Gold), Demo Star, Demo Star');
});

test('A piece without stickers has no button, and one without wear no scale', () => {
  const html = drawn({ traits: 'Name tag: “Demo”' });
  expect(html).not.toMatch(/<button|<svg/);
  expect(html).toContain('Name tag: “Demo”');
});

test('The scale marks the exterior that the wear lies in, and a bound belongs to the next one', () => {
  const markedFrom = (wear: string) => /float__on" d="M(\d+) /.exec(drawn({ wear }))?.[1];
  expect(['0.0699', '0.07', '0.3799', '0.44', '1'].map(markedFrom)).toEqual(['0', '7', '15', '38', '45']);
});

test('Patches and charms keep the word that says so, and other traits stay as they are', () => {
  const traits = 'Wear Rating: 0.25\nPatch: Demo Crown\nStrange Part: Demo kills\nCharm: Demo Pin';
  expect(splitTraits({ traits })).toEqual({
    wear: '0.25',
    applied: ['Patch: Demo Crown', 'Charm: Demo Pin'],
    others: ['Strange Part: Demo kills'],
  });
});
