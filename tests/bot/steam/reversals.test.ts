import { beforeEach, expect, test, vi } from 'vitest';
import type { InventoryItem, TradeReport } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { settleTrades } from '#bot/steam/transfers/settle-trades.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
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

/** A return of two cases that are alike, accepted, whose trade was reversed; `look` reads it and the inventory later. */
async function reversedReturn(standing: TradeReport['standing'] = 'reversed') {
  const depositId = await deposit(db, streamer, [asset(), asset()], START_MS - 9 * day);
  await reportTransfer(db, depositId, { event: 'settled' }, START_MS);
  const [first, second] = await itemsOf(db, streamer.userId);
  const transferId = newId(START_MS);
  const itemIds = [first!.id, second!.id];
  await returnItems(db, { requestId: transferId, userId: streamer.userId, itemIds }, START_MS);
  await sendQueued(db, START_MS);
  const moved = (await assetsIn(db, transferId)).map(({ appId, assetId }) => ({
    appId,
    assetId,
    newAssetId: `${assetId}1`,
    newContextId: '16',
  }));
  const accepted = { event: 'accepted', tradeId: 't1', moved, settlesAtMs: SETTLES_AT_MS } as const;
  await reportTransfer(db, transferId, accepted, START_MS);

  const shown: Partial<InventoryItem>[] = [];
  const named: MovedAsset[] = [];
  const scene = { isShort: false, areRecordsHidden: false };
  const { work, time } = makeTransferWork(db, botId, {
    getTrade: async () => ({ ok: true, value: { standing, moved: [] } }),
    getReversal: async () =>
      scene.areRecordsHidden ? failure('steamUnavailable', 'later') : { ok: true, value: named },
    inventory: async (_steamId, _appId, contextId) => ({
      ok: true,
      value: shown.filter((each) => each.contextId === contextId) as InventoryItem[],
      ...(scene.isShort && { isShort: true as const }),
    }),
  });
  const reconcileSoon = vi.spyOn(work, 'reconcileSoon');
  work.pace = { ...work.pace, reversalMs: hour };
  const settle = settleTrades(work);
  time.nowMs = SETTLES_AT_MS;
  /** The transfer's state and where the two cases are. */
  const look = async (laterMs = 0) => {
    passTime(laterMs);
    await settle(new AbortController().signal);
    const { state } = await transferOf(db, transferId);
    const items = await itemsOf(db, streamer.userId);
    return [state, ...items.map((item) => (item.state === 'held' ? item.assetId : item.state))];
  };
  const show = (assetId: string, facts: Partial<InventoryItem> = {}) =>
    shown.push({ assetId, contextId: '2', classId: '100', traits: '', wear: '', ...facts });
  const name = (assetId: string, newAssetId: string, appId = 730) =>
    named.push({ appId, assetId, newAssetId, newContextId: '2' });
  return { first: first!, second: second!, look, show, name, scene, reconcileSoon };
}

const accepted = ['accepted', 'delivered', 'delivered'];

test.each(['reversed', 'rolledBack'] as const)(
  'Of a trade that was %s, each asset is found by its name, by its first id, or by its kind',
  async (standing) => {
    const named = await reversedReturn(standing);
    named.name(`${named.first.assetId}1`, '78');
    named.name(named.second.assetId, '77');
    for (const assetId of ['77', '78', '79']) named.show(assetId);
    expect(await named.look()).toEqual(['reversed', '78', '77']);
    expect(named.reconcileSoon).toHaveBeenCalledTimes(1);
  },
);

test('An asset that no record names is found under its first id, or else as the newest of its kind', async () => {
  const { first, second, look, show } = await reversedReturn();
  for (const assetId of [second.assetId, '99999998', '99999999']) show(assetId);
  show('99999997', { classId: '200' });
  expect(first.assetId).not.toBe(second.assetId);
  expect(await look()).toEqual(['reversed', '99999999', second.assetId]);
});

test('A reversal whose new ids Steam does not tell yet is not booked before its assets are back', async () => {
  const { look, show, scene, reconcileSoon } = await reversedReturn();
  scene.areRecordsHidden = true;
  expect(await look()).toEqual(accepted);
  scene.areRecordsHidden = false;
  expect(await look()).toEqual(accepted);
  show('97', { classId: '200' });
  show('98');
  expect(await look(hour / 4)).toEqual(accepted);
  expect(reconcileSoon).not.toHaveBeenCalled();
  show('99');
  expect(await look(hour / 4)).toEqual(['reversed', '99', '98']);
});

test('An asset that is back stands for one of two only; the other one is waited for, for an hour', async () => {
  const { first, second, look, show, name, reconcileSoon } = await reversedReturn();
  name(`${first.assetId}1`, '77');
  show('77');
  expect(await look()).toEqual(accepted);
  expect(await look(hour - 1)).toEqual(accepted);
  expect(reconcileSoon).not.toHaveBeenCalled();
  expect(await look(hour)).toEqual(['reversed', '77', second.assetId]);
});

test('What is protected came with another trade, and a record of another game names nothing of this one', async () => {
  const { first, second, look, show, name } = await reversedReturn();
  name(`${first.assetId}1`, '77');
  name(`${second.assetId}1`, '78', 440);
  show('77');
  show('78', { classId: '200' });
  show('79', { contextId: '16' });
  expect(await look()).toEqual(accepted);
  show('80');
  expect(await look(hour / 2)).toEqual(['reversed', '77', '80']);
});

test('An asset that is named and still protected is locked for as long', async () => {
  const { first, second, look, show, name } = await reversedReturn();
  name(`${first.assetId}1`, '77');
  name(`${second.assetId}1`, '78');
  show('77', { contextId: '16', protectedUntilMs: SETTLES_AT_MS + day });
  show('78');
  expect(await look()).toEqual(['reversed', '77', '78']);
  const items = await itemsOf(db, streamer.userId);
  expect(items.map(({ contextId }) => contextId)).toEqual(['16', '2']);
  expect(items[0]?.lockedUntilMs).toBe(SETTLES_AT_MS + day);
  expect(items[1]?.lockedUntilMs).toBeLessThanOrEqual(SETTLES_AT_MS);
});

test('An inventory that is always read in part does not keep a trade that was reversed in whole for ever', async () => {
  const { first, second, look, show, name, scene } = await reversedReturn();
  scene.isShort = true;
  name(`${first.assetId}1`, '77');
  show('77');
  expect(await look()).toEqual(accepted);
  expect(await look(hour)).toEqual(['reversed', '77', second.assetId]);
});

test('Of a rollback in part, what is not found in a part of the inventory may be in the rest', async () => {
  const { first, second, look, show, name, scene } = await reversedReturn('reversedInPart');
  name(`${first.assetId}1`, '77');
  show('77');
  scene.isShort = true;
  expect(await look()).toEqual(accepted);
  expect(await look(hour)).toEqual(accepted);
  name(`${second.assetId}1`, '78');
  show('78');
  expect(await look(hour)).toEqual(['reversed', '77', '78']);
});
