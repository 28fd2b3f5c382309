import { expect, test } from 'vitest';
import { appliedTraits } from '#bot/steam/applied-traits.ts';

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
