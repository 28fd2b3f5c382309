import { expect, test } from 'vitest';
import { type Explanations, explainRefusal } from '#bot/steam/explain-refusal.ts';
import { failure } from '#bot/steam/steam-failure.ts';

const BOT = '76561198000000009';
const VIEWER = '76561198000000001';
const asset = { appId: 730, contextId: '2', assetId: '1' };
const given = { partnerSteamId: VIEWER, tradeToken: 'tokenABC', message: '', give: [asset], receive: [] };
const deposited = { ...given, give: [], receive: [asset] };
const down = failure('steamUnavailable', 'later');

/** Explains 15 where Steam answers as it does for an account without trouble, but for this. */
async function explained(trouble: Partial<Explanations>, request: typeof given | typeof deposited = given) {
  const { code, retry } = await explainRefusal(failure('steamTokenInvalid', 'never', '(15)'), request, {
    ownSteamId: BOT,
    checkLink: async () => ({ ok: true, value: null }),
    countItems: async () => ({ ok: true, value: 3 }),
    isGameBanned: async () => ({ ok: true, value: false }),
    ...trouble,
  });
  return [code, retry];
}

const counting = (items: Record<string, number>): Partial<Explanations> => ({
  countItems: async (steamId) => ({ ok: true, value: items[steamId] ?? 0 }),
});

test('Of the causes of one refusal each is told apart: the link, a hidden inventory, a ban, no room', async () => {
  expect(await explained({ checkLink: async () => down })).toEqual(['steamTokenInvalid', 'never']);
  const hidden = { countItems: async () => failure('inventoryPrivate', 'never') };
  expect(await explained(hidden)).toEqual(['inventoryPrivate', 'never']);
  const banned = { isGameBanned: async () => ({ ok: true, value: true }) as const };
  expect(await explained(banned)).toEqual(['gameBanned', 'never']);
  expect(await explained(counting({ [VIEWER]: 1000 }))).toEqual(['inventoryFull', 'never']);
});

test('Who receives the items is who has no room for them', async () => {
  expect(await explained(counting({ [BOT]: 1000 }))).toEqual(['inventoryUnavailable', 'never']);
  expect(await explained(counting({ [BOT]: 1000 }), deposited)).toEqual(['inventoryFull', 'never']);
  expect(await explained(counting({ [VIEWER]: 1000 }), deposited)).toEqual(['inventoryUnavailable', 'never']);
  expect(await explained(counting({ [VIEWER]: 999 }))).toEqual(['inventoryUnavailable', 'never']);
});

test('What Steam does not tell is no cause', async () => {
  expect(await explained({ countItems: async () => down, isGameBanned: async () => down })).toEqual([
    'inventoryUnavailable',
    'never',
  ]);
  expect(await explained({ countItems: async () => ({ ok: true, value: null }) })).toEqual([
    'inventoryUnavailable',
    'never',
  ]);
  // Accounts differ in the room that they have in Team Fortress 2.
  const fortress = { ...given, give: [{ ...asset, appId: 440 }] };
  expect(await explained(counting({ [VIEWER]: 5000 }), fortress)).toEqual(['inventoryUnavailable', 'never']);
});
