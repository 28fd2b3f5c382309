import { expect, test } from 'vitest';
import { levelAnswer, playersAnswer, profileOf } from '#bot/steam/player-web-api.ts';

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
