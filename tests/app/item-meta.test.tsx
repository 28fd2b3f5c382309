import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { splitTraits } from '#app/components/items/item-words.ts';
import { Chances } from '#app/components/rules/chances.tsx';
import { PageContext } from '#app/components/shell/page-context.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { WearBar } from '#app/routes/wins/wear-bar.tsx';
import { translations } from '#app/services/translations.server.ts';

const pistol = {
  typeLine: 'StatTrak™ Restricted Pistol',
  typeTag: 'CSGO_Type_Pistol',
  rarityTag: 'Rarity_Mythical_Weapon',
  exterior: 'Field-Tested',
};
const inWords = (node: ReactNode, language: 'en' | 'ru' = 'en') =>
  renderToStaticMarkup(<TranslationContext value={translations(language)}>{node}</TranslationContext>);
const drawn = (facts: { traits?: string; wear?: string }) =>
  inWords(<ItemMeta item={{ ...pistol, ...facts }} />);

test('Each sticker of a piece is a sign, and all are named on one button', () => {
  const html = drawn({ traits: 'Sticker: Demo Wing (Gold), Demo Star\nSticker: Demo Star' });
  expect(html.match(/<svg viewBox="0 0 160 96"/g)).toHaveLength(3);
  expect(html.match(/<button/g)).toHaveLength(1);
  expect(html).toContain('Applied: Demo Wing (Gold), Demo Star, Demo Star');
});

test('A sticker whose picture is known is shown by it', () => {
  const item = {
    ...pistol,
    traits: 'Sticker: rain (Glitter, Champion), Demo Star',
    traitIcons: '\nstickers/star.png',
  };
  const appliedImageUrl = 'https://images.example/applied/';
  const site = { user: null, timeZone: 'UTC', nowMs: null, imageUrl: '', sites: { steam: '', twitch: '' } };
  const html = inWords(
    <PageContext value={{ ...site, appliedImageUrl }}>
      <ItemMeta item={item} />
    </PageContext>,
  );
  expect(html.match(/<svg viewBox="0 0 160 96".*?<img src="[^"]*" alt=""/)?.[0]).toContain(
    'src="https://images.example/applied/stickers/star.png"',
  );
  expect(html).toContain('Applied: rain (Glitter, Champion), Demo Star');
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

test('A wear that is no number from 0 to 1 is neither drawn nor told', () => {
  for (const wear of ['-0.25', '1.5', 'NaN', 'worn']) {
    expect(drawn({ wear })).not.toMatch(/<svg|wear/);
    expect(drawn({ traits: `Wear Rating: ${wear}` })).not.toMatch(/<svg|wear/);
  }
  expect(['0', '1'].map((wear) => splitTraits({ wear }).wear)).toEqual(['0', '1']);
});

test('A stack’s amount, which its name tells, is no trait that is named again', () => {
  expect(splitTraits({ traits: '× 500\nStrange Part: Demo kills' }).others).toEqual([
    'Strange Part: Demo kills',
  ]);
});

test('Patches and charms keep the word that says so, and other traits stay as they are', () => {
  const traits = 'Wear Rating: 0.25\nPatch: Demo Crown\nStrange Part: Demo kills\nCharm: Demo Pin';
  expect(splitTraits({ traits })).toEqual({
    wear: '0.25',
    applied: [
      { name: 'Patch: Demo Crown', icon: '' },
      { name: 'Charm: Demo Pin', icon: '' },
    ],
    others: ['Strange Part: Demo kills'],
  });
});

test('The page of a win draws the same scale, with the letters of the exterior in bold', () => {
  const scale = /<svg viewBox="0 0 100 10".*?<\/svg>/;
  for (const [wear, letters] of [
    ['0.0931', 'MW'],
    ['0.45', 'BS'],
  ] as const) {
    const html = inWords(<WearBar wear={wear} exterior="Minimal Wear" />);
    expect(scale.exec(html)?.[0]).toBe(scale.exec(drawn({ wear }))?.[0]);
    expect(html).toContain(`<b>${wear}</b>`);
    const inRussian = inWords(<WearBar wear={wear} exterior="Minimal Wear" />, 'ru');
    expect(inRussian).toContain(`<b>${wear.replace('.', ',')}</b>`);
    expect(html).toContain(`<b>${letters}</b>`);
  }
});

test('The kinds of a draw are told apart by the same marks, in four decimals and the page’s language', () => {
  const facts = { ...pistol, appId: 730, marketHashName: 'Demo', name: 'Demo', iconUrl: '' };
  const kind = { ...facts, free: 1, weight: 3, chance: 0.75 };
  const traits = 'Sticker: Demo Wing, Demo Star\nWear Rating: 0.152647752\nName Tag: ‘Demo’';
  const html = (language: 'en' | 'ru') => inWords(<Chances chances={[{ ...kind, traits }]} />, language);
  expect(html('en')).toContain('Demo · Name Tag: ‘Demo’');
  expect(html('en')).toContain('wear 0.1526');
  expect(html('ru')).toContain('износ 0,1526');
  expect(html('en')).toContain('Applied: Demo Wing, Demo Star');
  expect(html('en')).toContain('75%');
});
