import { beforeEach, expect, test, vi } from 'vitest';
import type { InventoryItem } from '#bot/steam/steam-account.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { newId } from '#domain/id.ts';
import { day } from '#domain/time.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, transferOf } from '#tests/support/looking.ts';
import { botId, database, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => vi.useRealTimers();
});

const SETTLES_AT_MS = START_MS + 8 * day;

/** Watches an accepted trade of which Steam's Support rolled back a part; the bot's inventory has these assets. */
async function watch(
  held: readonly string[],
  named: readonly { assetId: string; newAssetId: string }[] = [],
) {
  const { work, time } = makeTransferWork(database, botId, {
    getTrade: async () => ({ ok: true, value: { standing: 'reversedInPart', moved: [] } }),
    getReversal: async () => ({
      ok: true,
      value: named.map((each) => ({ ...each, appId: 730, newContextId: '2' })),
    }),
    inventory: async (_steamId, _appId, contextId) => ({
      ok: true,
      value: (contextId === '2' ? held : []).map((assetId) => ({
        assetId,
        contextId,
        classId: '100',
      })) as InventoryItem[],
    }),
  });
  const settle = settleTrades({ ...work, pace: { ...work.pace, reversalMs: 0 } });
  time.nowMs = SETTLES_AT_MS;
  await settle(new AbortController().signal);
}

const states = async () =>
  Object.fromEntries((await itemsOf(database, streamer.userId)).map(({ name, state }) => [name, state]));

test('Of a return that was rolled back in part, what came back is held again and the rest is final', async () => {
  await deposit(database, streamer, [asset('Demo case'), asset('Demo key')], START_MS - 9 * day);
  const items = await itemsOf(database, streamer.userId);
  const requestId = newId(START_MS);
  const itemIds = items.map(({ id }) => id);
  await returnItems(database, { requestId, userId: streamer.userId, itemIds }, START_MS);
  await sendQueued(database, START_MS);
  const moved = (await assetsIn(database, requestId)).map(({ appId, assetId }) => ({
    appId,
    assetId,
    newAssetId: `${assetId}1`,
    newContextId: '16',
  }));
  const accepted = { event: 'accepted', tradeId: 't1', moved, settlesAtMs: SETTLES_AT_MS } as const;
  await reportTransfer(database, requestId, accepted, START_MS);
  const back = items.find(({ name }) => name === 'Demo key')!;
  await watch(['77'], [{ assetId: `${back.assetId}1`, newAssetId: '77' }]);
  expect((await transferOf(database, requestId)).state).toBe('reversed');
  expect(await states()).toEqual({ 'Demo case': 'gone', 'Demo key': 'held' });
  const held = (await itemsOf(database, streamer.userId)).find(({ name }) => name === 'Demo key');
  expect(held).toMatchObject({ assetId: '77', contextId: '2' });
});

test('Of a deposit that was rolled back in part, only what left the bot is gone', async () => {
  const transferId = await deposit(database, streamer, [asset('Demo case'), asset('Demo key')], START_MS);
  const [first] = await itemsOf(database, streamer.userId);
  await watch([first?.assetId ?? '']);
  expect((await transferOf(database, transferId)).state).toBe('reversed');
  expect(Object.values(await states()).toSorted()).toEqual(['gone', 'held']);
});
