import { expect, test } from 'vitest';
import {
  backpackAnswer,
  backpackOf,
  levelAnswer,
  playersAnswer,
  profileOf,
} from '#bot/steam/player-web-api.ts';

const steamId = '76561198000000009';
const profileIn = (player: object, level: object | null = { player_level: 27 }) =>
  profileOf(
    steamId,
    playersAnswer.parse({ response: { players: [null, { steamid: steamId, ...player }] } }),
    level && levelAnswer.parse({ response: level }),
  );

test('A profile has its name, picture, level and age', () => {
  const avatarfull = 'https://avatars.steamstatic.com/fef4_full.jpg';
  const player = { personaname: 'Keepsake 02', avatarfull, timecreated: 1_556_841_600 };
  expect(profileIn(player)).toEqual({
    ok: true,
    value: { name: 'Keepsake 02', pictureUrl: avatarfull, level: 27, sinceMs: 1_556_841_600_000 },
  });
});

test('What a private profile hides is unknown, and so is an address that is none', () => {
  const hidden = { name: 'Keepsake 02', pictureUrl: '', level: null, sinceMs: null };
  expect(profileIn({ personaname: 'Keepsake 02' }, {})).toEqual({ ok: true, value: hidden });
  expect(profileIn({ personaname: 'Keepsake 02', avatarfull: 'javascript:alert(1)' }, null)).toEqual({
    ok: true,
    value: hidden,
  });
});

test('An answer about somebody else is none', () => {
  expect(profileIn({ steamid: '76561198000000001' })).toMatchObject({ ok: false, code: 'steamUnavailable' });
});

test('A backpack has the slots that Steam tells; a hidden one, or one that cannot be read, tells nothing', () => {
  const backpackIn = (result: object) => backpackOf(backpackAnswer.parse({ result }));
  const items = [{ id: 26_000_079_900, original_id: 5 }, { id: '7' }];
  expect(backpackIn({ status: 1, num_backpack_slots: 50, items })).toEqual({
    ok: true,
    value: { slots: 50, assetIds: ['26000079900', '7'] },
  });
  expect(backpackIn({ status: 15 })).toMatchObject({ code: 'inventoryPrivate' });
  const odd = [
    { status: 1, items },
    { status: 1, num_backpack_slots: 0, items },
    { status: 1, num_backpack_slots: 'many', items },
    { status: 1, num_backpack_slots: 50, items: [...items, null] },
    { status: 18, num_backpack_slots: 50, items },
  ];
  for (const result of odd) expect(backpackIn(result)).toMatchObject({ code: 'steamUnavailable' });
});
