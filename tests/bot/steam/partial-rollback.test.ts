import { beforeEach, expect, test, vi } from 'vitest';
import type { InventoryItem } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, transferOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const SETTLES_AT_MS = START_MS + 8 * day;

interface Scene {
  /** The assets in the bot's inventory; null if it cannot be read. */
  held: readonly string[] | null;
  /** The assets that the trade's records name; null if they cannot be read. */
  named?: readonly { assetId: string; newAssetId: string }[] | null;
}

const unreadable = failure('steamUnavailable', 'later');

/** Watches a trade that should be final, of which Steam's Support rolled back a part; `look` reads it later. */
function watching(scene: Scene) {
  const { work, time } = makeTransferWork(db, botId, {
    getTrade: async () => ({ ok: true, value: { standing: 'reversedInPart', moved: [] } }),
    getReversal: async () => {
      const { named = [] } = scene;
      if (!named) return unreadable;
      return { ok: true, value: named.map((each) => ({ ...each, appId: 730, newContextId: '2' })) };
    },
    inventory: async (_steamId, _appId, contextId) => {
      if (!scene.held) return unreadable;
      return {
        ok: true,
        value: (contextId === '2' ? scene.held : []).map((assetId) => ({
          assetId,
          contextId,
          classId: '100',
        })) as InventoryItem[],
      };
    },
  });
  const settle = settleTrades({ ...work, pace: { ...work.pace, reversalMs: hour } });
  time.nowMs = SETTLES_AT_MS;
  const look = async (laterMs = 0) => {
    passTime(laterMs);
    await settle(new AbortController().signal);
  };
  return { scene, look };
}

/** The same, until the hour's wait is over. */
async function watch(held: Scene['held'], named: Scene['named'] = []) {
  const { look } = watching({ held, named });
  await look();
  await look(hour);
}

const states = async () =>
  Object.fromEntries((await itemsOf(db, streamer.userId)).map(({ name, state }) => [name, state]));

/** A return of a case and a key, accepted under new ids. */
async function acceptedReturn() {
  await deposit(db, streamer, [asset('Demo case'), asset('Demo key')], START_MS - 9 * day);
  const items = await itemsOf(db, streamer.userId);
  const requestId = newId(START_MS);
  const itemIds = items.map(({ id }) => id);
  await returnItems(db, { requestId, userId: streamer.userId, itemIds }, START_MS);
  await sendQueued(db, START_MS);
  const moved = (await assetsIn(db, requestId)).map(({ appId, assetId }) => ({
    appId,
    assetId,
    newAssetId: `${assetId}1`,
    newContextId: '16',
  }));
  const accepted = { event: 'accepted', tradeId: 't1', moved, settlesAtMs: SETTLES_AT_MS } as const;
  await reportTransfer(db, requestId, accepted, START_MS);
  return { requestId, key: items.find(({ name }) => name === 'Demo key')! };
}

test('Of a return that was rolled back in part, what came back is held again and the rest is final', async () => {
  const { requestId, key } = await acceptedReturn();
  await watch(['77'], [{ assetId: `${key.assetId}1`, newAssetId: '77' }]);
  expect((await transferOf(db, requestId)).state).toBe('reversed');
  expect(await states()).toEqual({ 'Demo case': 'gone', 'Demo key': 'held' });
  const held = (await itemsOf(db, streamer.userId)).find(({ name }) => name === 'Demo key');
  expect(held).toMatchObject({ assetId: '77', contextId: '2' });
});

test('Of a deposit that was rolled back in part, only what left the bot is gone', async () => {
  const transferId = await deposit(db, streamer, [asset('Demo case'), asset('Demo key')], START_MS);
  const [first] = await itemsOf(db, streamer.userId);
  await watch([first?.assetId ?? '']);
  expect((await transferOf(db, transferId)).state).toBe('reversed');
  expect(Object.values(await states()).toSorted()).toEqual(['gone', 'held']);
});

test('A return that is first seen rolled back in part when it is due is not final before its assets had an hour', async () => {
  const { requestId, key } = await acceptedReturn();
  const { scene, look } = watching({ held: [] });
  await look();
  await look(hour - minute);
  expect((await transferOf(db, requestId)).state).toBe('accepted');
  Object.assign(scene, { held: ['77'], named: [{ assetId: `${key.assetId}1`, newAssetId: '77' }] });
  await look(minute);
  expect((await transferOf(db, requestId)).state).toBe('reversed');
  expect(await states()).toEqual({ 'Demo case': 'gone', 'Demo key': 'held' });
});

test('A rollback in part of which nothing came back within the hour is final', async () => {
  const { requestId } = await acceptedReturn();
  await watch([]);
  expect((await transferOf(db, requestId)).state).toBe('settled');
});

test('A rollback in part waits until its records and the inventory can be read', async () => {
  const { requestId } = await acceptedReturn();
  const { scene, look } = watching({ held: [], named: null });
  await look();
  await look(hour);
  expect((await transferOf(db, requestId)).state).toBe('accepted');
  Object.assign(scene, { held: null, named: [] });
  await look(hour);
  expect((await transferOf(db, requestId)).state).toBe('accepted');
  scene.held = [];
  await look(hour);
  expect((await transferOf(db, requestId)).state).toBe('settled');
});

test('A deposit that was rolled back in part waits for an inventory that can be read', async () => {
  const transferId = await deposit(db, streamer, [asset('Demo case'), asset('Demo key')], START_MS);
  const [first] = await itemsOf(db, streamer.userId);
  const { scene, look } = watching({ held: null });
  await look();
  await look(hour);
  expect((await transferOf(db, transferId)).state).toBe('accepted');
  scene.held = [first?.assetId ?? ''];
  await look(hour);
  expect((await transferOf(db, transferId)).state).toBe('reversed');
});
