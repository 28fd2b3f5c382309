import { beforeEach, expect, test, vi } from 'vitest';
import type { InventoryAnswer, InventoryItem, SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { OwnInventory } from '#bot/steam/transfers/own-inventory.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';

beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const holding = (...assetIds: string[]): InventoryAnswer => ({
  ok: true,
  value: assetIds.map((assetId) => ({ assetId })) as InventoryItem[],
});
const down = failure('steamUnavailable', 'later');

/** A bot whose inventory has these answers for each game and context; nothing is in the others. */
function botWith(contexts: Record<string, InventoryAnswer>, doubted: readonly number[] = []) {
  const inventory = vi.fn<SteamAccount['inventory']>(
    async (_steamId, appId, contextId) => contexts[`${appId}/${contextId}`] ?? holding(),
  );
  const account = { steamId: '76561198000000009', inventory } as unknown as SteamAccount;
  const own = new OwnInventory(async (appId) => doubted.includes(appId));
  const locate = (assetId: string, appId = 730) => own.locate(account, [{ appId, assetId }]);
  return { account, own, inventory, contexts, locate };
}

test('An asset is given from the context that it is in now', async () => {
  const { own, account } = botWith({ '730/2': holding('4', '5'), '440/2': holding('6') });
  const wanted = [
    { appId: 730, assetId: '5' },
    { appId: 440, assetId: '6' },
  ];
  expect(await own.locate(account, wanted)).toEqual({
    ok: true,
    value: wanted.map((asset) => ({ ...asset, contextId: '2', amount: 1 })),
  });
});

test('A stack is given only while it has the amount that it is known with', async () => {
  const { own, account, contexts } = botWith({});
  const holdPieces = (amount: number) => {
    contexts['753/6'] = { ok: true, value: [{ assetId: '5', amount } as InventoryItem] };
    own.clear();
  };
  const wanted = [{ appId: 753, assetId: '5', amount: 500 }];
  holdPieces(537);
  expect(await own.locate(account, wanted)).toMatchObject({ code: 'stackChanged', retry: 'never' });
  holdPieces(500);
  expect(await own.locate(account, wanted)).toMatchObject({
    ok: true,
    value: [{ amount: 500, contextId: '6' }],
  });
});

test('An asset under protection is given later; one that is nowhere never', async () => {
  const { locate } = botWith({ '730/16': holding('5'), '440/16': holding('7') });
  expect(await locate('5')).toMatchObject({ code: 'itemUnavailable', retry: 'later' });
  expect(await locate('7', 440)).toMatchObject({ code: 'itemUnavailable', retry: 'later' });
  expect(await locate('6')).toMatchObject({ code: 'itemUnavailable', retry: 'never' });
  expect(await locate('5', 440)).toMatchObject({ code: 'itemUnavailable', retry: 'never' });
  expect(await locate('5', 999)).toMatchObject({ code: 'itemUnavailable', retry: 'never' });
});

test('While either context cannot be read, nothing is said of a missing asset', async () => {
  expect(await botWith({ '730/2': down }).locate('5')).toEqual(down);
  expect(await botWith({ '730/16': down }).locate('5')).toEqual(down);
});

test('While part of an inventory cannot be read, an asset that is not in the rest is not given up', async () => {
  const short = { ...holding('5'), isShort: true } as InventoryAnswer;
  for (const context of ['730/2', '730/16']) {
    const { locate } = botWith({ [context]: short });
    expect(await locate('6')).toMatchObject({ code: 'steamUnavailable', retry: 'later' });
  }
  expect(await botWith({ '730/2': short }).locate('5')).toMatchObject({ ok: true });
});

test('While a self-test doubts the inventory of a game, an asset that is not in it is not given up', async () => {
  const { locate, own, account } = botWith({ '730/2': holding('5'), '440/2': holding('8') }, [730]);
  expect(await locate('6')).toMatchObject({ code: 'steamUnavailable', retry: 'later' });
  expect(await locate('5')).toMatchObject({ ok: true });
  expect(await locate('9', 440)).toMatchObject({ code: 'itemUnavailable', retry: 'never' });
  expect(await own.read(account, 730, '2')).toMatchObject({ ok: true, isShort: true });
});

test('Whichever the game, an asset that is not in its context is looked for among protected ones', async () => {
  const { locate, inventory } = botWith({});
  await locate('5', 440);
  const read = inventory.mock.calls.map(([, appId, contextId]) => `${appId}/${contextId}`);
  expect(read).toEqual(['440/2', '440/16']);
});

test('An inventory is read again after twenty seconds, after a trade, and after a failure', async () => {
  const { own, account, inventory, contexts } = botWith({ '730/2': holding('5') });
  const read = () => own.read(account, 730, '2');
  await read();
  passTime(19_999);
  await read();
  expect(inventory).toHaveBeenCalledTimes(1);
  passTime(1);
  await read();
  expect(inventory).toHaveBeenCalledTimes(2);
  own.clear();
  contexts['730/2'] = down;
  expect(await read()).toEqual(down);
  contexts['730/2'] = holding('5');
  expect(await read()).toEqual(holding('5'));
  expect(inventory).toHaveBeenCalledTimes(4);
});

test('A reading that is not whole is not kept, and each game and context has its own', async () => {
  const { own, account, inventory, contexts } = botWith({
    '730/2': { ...holding('5'), isShort: true } as InventoryAnswer,
  });
  await own.read(account, 730, '2');
  contexts['730/2'] = holding('5', '6');
  expect(await own.read(account, 730, '2')).toEqual(holding('5', '6'));
  await own.read(account, 730, '16');
  await own.read(account, 440, '2');
  await own.read(account, 730, '2');
  expect(inventory).toHaveBeenCalledTimes(4);
  await own.read(account, 730, '2', 0);
  expect(inventory).toHaveBeenCalledTimes(5);
});
