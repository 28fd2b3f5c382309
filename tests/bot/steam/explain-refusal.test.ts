import { expect, test } from 'vitest';
import { type Explanations, explainRefusal } from '#bot/steam/explain-refusal.ts';
import type { InventoryItem } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';

const BOT = '76561198000000009';
const VIEWER = '76561198000000001';
const asset = { appId: 730, contextId: '2', assetId: '1', amount: 1 };
const given = { partnerSteamId: VIEWER, tradeToken: 'tokenABC', message: '', give: [asset], receive: [] };
const deposited = { ...given, give: [], receive: [asset] };
const down = failure('steamUnavailable', 'later');

/** Explains 15 where Steam answers as it does for an account without trouble, but for this. */
async function explained(trouble: Partial<Explanations>, request: typeof given | typeof deposited = given) {
  const { code, retry } = await explainRefusal(failure('steamTokenInvalid', 'never', '(15)'), request, {
    ownSteamId: BOT,
    checkLink: async () => ({ ok: true, value: null }),
    countItems: async () => ({ ok: true, value: 3 }),
    countSlots: async () => down,
    isGameBanned: async () => ({ ok: true, value: false }),
    inventory: async () => holding({ '1': true, '2': true }),
    ...trouble,
  });
  return [code, retry];
}

const holding = (tradable: Record<string, boolean>) => ({
  ok: true as const,
  value: Object.entries(tradable).map(([assetId, is]) => ({ assetId, tradable: is }) as InventoryItem),
});

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

test('A stack that has another amount by now is the cause', async () => {
  const stack = { ...deposited, receive: [{ ...asset, amount: 500 }] };
  const of = (amount: number) => ({
    inventory: async () => ({
      ok: true as const,
      value: [{ assetId: '1', tradable: true, amount } as InventoryItem],
    }),
  });
  expect(await explained(of(499), stack)).toEqual(['itemUnavailable', 'never']);
  expect(await explained(of(500), stack)).toEqual(['inventoryUnavailable', 'never']);
});

test('Who receives the items is who has no room for them', async () => {
  expect(await explained(counting({ [BOT]: 1001 }))).toEqual(['inventoryUnavailable', 'never']);
  expect(await explained(counting({ [BOT]: 1000 }), deposited)).toEqual(['inventoryFull', 'never']);
  expect(await explained(counting({ [VIEWER]: 1001 }), deposited)).toEqual(['inventoryUnavailable', 'never']);
  expect(await explained(counting({ [VIEWER]: 999 }))).toEqual(['inventoryUnavailable', 'never']);
});

test('An item that Steam lists as untradable, or not at all, is the cause; ours may become tradable again', async () => {
  const two = { ...given, give: [{ ...asset, assetId: '2' }, asset] };
  const read: string[] = [];
  const reading = (tradable: Record<string, boolean>): Partial<Explanations> => ({
    inventory: async (steamId) => {
      read.push(steamId);
      return holding(tradable);
    },
  });
  expect(await explained(reading({ '2': true, '1': false }), two)).toEqual(['itemUnavailable', 'later']);
  expect(await explained(reading({ '2': true }), two)).toEqual(['itemUnavailable', 'later']);
  expect(await explained(reading({ '1': false }), deposited)).toEqual(['itemUnavailable', 'never']);
  expect(read).toEqual([BOT, BOT, VIEWER]);
  const short = async () => ({ ...holding({ '2': true }), isShort: true as const });
  for (const inventory of [short, async () => down])
    expect(await explained({ inventory }, two)).toEqual(['inventoryUnavailable', 'never']);
});

test('Every other refusal stays what it is, and nothing is read because of it', async () => {
  const refusal = failure('tradeBanned', 'never', 'banned');
  expect(await explainRefusal(refusal, given, {} as Explanations)).toBe(refusal);
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
});

test('In Team Fortress 2 an account has the room that Steam tells, and is not called full while it does not', async () => {
  const fortress = { ...given, give: [{ ...asset, appId: 440 }] };
  const slots: Record<string, number> = { [VIEWER]: 50, [BOT]: 300 };
  const reporting: Partial<Explanations> = {
    countSlots: async (steamId) => ({ ok: true, value: slots[steamId] ?? 0 }),
  };
  const full = (items: number, reads = reporting) =>
    explained({ ...counting({ [VIEWER]: items, [BOT]: 300 }), ...reads }, fortress);
  expect(await full(50)).toEqual(['inventoryFull', 'never']);
  expect(await full(49)).toEqual(['inventoryUnavailable', 'never']);
  expect(await full(5000, {})).toEqual(['inventoryUnavailable', 'never']);
  const asked = { ...deposited, receive: [{ ...asset, appId: 440 }] };
  expect(await explained({ ...counting({ [BOT]: 300 }), ...reporting }, asked)).toEqual([
    'inventoryFull',
    'never',
  ]);
});
