import { expect, test } from 'vitest';
import { appliedIcons, appliedTraits } from '#bot/steam/applied-traits.ts';

const traits = (appId: number, ...values: string[]) =>
  appliedTraits(
    values.map((value) => ({ value })),
    appId,
  );
const picture = (title: string) => `<img width=64 height=48 src="https://example.org/a.png" title=${title}>`;
const sheet = (content: string) =>
  `<br><div id="sticker_info" class="sticker_info"><center>${content}</center></div>`;

test.each(['Sticker', 'Charm', 'Patch'])(
  'Every %s of an item is told, whose pictures have titles too',
  (kind) => {
    const first = `${kind}: Demo One (Holo)`;
    const both = `${first}, Demo Two`;
    const html = sheet(`${picture(`"${first}"`)}${picture(`"${kind}: Demo Two"`)}<br>${both}`);
    expect(traits(730, html)).toEqual([both]);
    expect(traits(730, sheet(`${picture(`'${first}'`)}<br>${first}`))).toEqual([first]);
    expect(traits(730, sheet(`<br>${kind}: Demo &amp; More`))).toEqual([`${kind}: Demo & More`]);
    expect(traits(730, sheet(picture(`"${first}"`)))).toEqual([first]);
    expect(traits(730, sheet(`${picture(`"${kind}: a > b"`)}<br>${kind}: a &gt; b`))).toEqual([
      `${kind}: a > b`,
    ]);
    // The sign within an attribute ends no tag, so what follows it is no text.
    expect(traits(730, sheet(`<img alt="a>${kind}: b">`))).toEqual([]);
  },
);

const folder = 'https://cdn.steamstatic.com/apps/730/icons/econ/';
const pictured = (...sources: string[]) =>
  sources.map((src) => `<img width=64 height=48 src="${src}">`).join('');
const icons = (...values: string[]) => appliedIcons(values.map((value) => ({ value })));

test('Each name has the picture beside it, of stickers and of charms', () => {
  const both = `${pictured(`${folder}stickers/demo2022/wing.0a1b.png`, 'https://steamcdn-a.akamaihd.net/apps/730/icons/econ/stickers/star.2c.png')}<br>Sticker: rain (Glitter, Champion) | Demo 2022, Demo Star`;
  const charm = `<img src='${folder}keychains/demo/kc_pin.3d.png' title='Charm: Demo Pin'>`;
  expect(icons('Exterior: Demo', sheet(both), sheet(charm))).toEqual([
    'stickers/demo2022/wing.0a1b.png',
    'stickers/star.2c.png',
    'keychains/demo/kc_pin.3d.png',
  ]);
});

test('Where pictures cannot be told apart, or are none of Steam’s, names have none', () => {
  const two = 'Sticker: Demo One, Demo Two';
  const own = `${folder}stickers/demo/one.1.png`;
  expect(icons(sheet(`${pictured(own)}<br>${two}`))).toEqual(['', '']);
  const strange = [
    ...['https://example.org/apps/730/icons/econ/stickers/a.png', 'javascript:alert(1)'],
    ...[`${folder}stickers/../../../a.png`, `${folder}stickers/a.svg`, `${folder}stickers/a.png?x=1`],
    ...[`https://cdn.steamstatic.com.example.org/apps/730/icons/econ/stickers/a.png`, ''],
    `${folder}stickers/${'a'.repeat(200)}.png`,
  ];
  for (const src of strange)
    expect(icons(sheet(`${pictured(src, own)}<br>${two}`))).toEqual(['', 'stickers/demo/one.1.png']);
  expect(icons(sheet(`<br>${two}`), "Name Tag: ''Sticker: Demo''")).toEqual(['', '']);
});

test("An owner's own words make no trait", () => {
  expect(traits(730, "Name Tag: ''Sticker: Demo(Holo)''")).toEqual([]);
  expect(traits(440, "''★ Unusual Effect: Demo''")).toEqual([]);
  expect(traits(440, "''a\nPaint Color: Demo''", "''<br>Sheen: Demo''".replace('<', '&lt;'))).toEqual([]);
  expect(traits(440, '★ Unusual Effect: Demo')).toEqual(['★ Unusual Effect: Demo']);
});

test('Pieces of one name in TF2 are told apart', () => {
  const pieces = [
    ['Level 5 Hat'],
    ['Halloween: Demo Spell (spell only active during event)'],
    ['Paint Color: Demo'],
    ['(Kills: 123)', '(Demo Part: 5)'],
    ['Killstreaker: Demo', 'Sheen: Demo'],
    ['( Not Usable in Crafting )'],
    ['Festivized'],
    ['Craft #12'],
  ];
  const shown = pieces.map((lines) => traits(440, ...lines).join('\n'));
  expect(shown).toEqual([
    '',
    'Halloween: Demo Spell (spell only active during event)',
    'Paint Color: Demo',
    'Strange Part: Demo Part',
    'Killstreaker: Demo\nSheen: Demo',
    'Not Usable in Crafting',
    'Festivized',
    'Craft #12',
  ]);
  expect(traits(440, '(Kills: 7)')).toEqual([]);
  expect(traits(730, ...pieces.flat())).toEqual([]);
});
