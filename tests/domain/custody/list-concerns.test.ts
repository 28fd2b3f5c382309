import { expect, test } from 'vitest';
import { countConcerns, listConcerns } from '#domain/custody/list-concerns.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addBot, asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { leaveUnknownAsset } from '#tests/support/unknown-asset.ts';

setScene();

const listed = async (nowMs: number) => (await listConcerns(db.read, nowMs)).get(botId);
const counted = async (nowMs: number) => (await countConcerns(db.read, nowMs))[botId];

async function request() {
  const requestId = newId(START_MS);
  const wanted = { requestId, userId: streamer.userId, assets: [asset()] };
  expect(await requestDeposit(db, wanted, START_MS, Date.now())).toMatchObject({ ok: true });
  return requestId;
}

test('An unknown asset and a missing item are listed with their age', async () => {
  await deposit(db, streamer, [asset()]);
  const [item] = await itemsOf(db, streamer.userId);
  const lost = { event: 'lost', cause: 'reconciliation' } as const;
  await db.transaction((tx) => advanceItem(tx, item?.id ?? '', lost, START_MS + minute));
  const { assetId } = await leaveUnknownAsset(db, { botId, nowMs: START_MS });
  expect((await listed(START_MS + hour - 1))?.unknownAssets).toEqual([]);
  expect(await listed(START_MS + hour)).toMatchObject({
    unknownAssets: [{ assetId, marketHashName: 'Demo case', sinceMs: START_MS }],
    missingItems: [{ itemId: item?.id, ownerId: streamer.userId, sinceMs: START_MS + minute }],
    transfers: [],
  });
  expect(await counted(START_MS + hour)).toEqual({
    drifts: 0,
    unknownAssets: 1,
    missingItems: 1,
    doubtfulTransfers: 0,
    stuckTransfers: 0,
  });
});

test('Bots are listed by their ids, whichever joined first', async () => {
  for (const id of ['demo-bot-b', 'demo-bot-c', 'demo-bot-a']) await addBot(db, id);
  const botIds = [...(await listConcerns(db.read, START_MS)).keys()];
  expect(botIds.filter((id) => id.startsWith('demo-'))).toEqual(['demo-bot-a', 'demo-bot-b', 'demo-bot-c']);
});

test('A doubtful sending is listed within an hour', async () => {
  const transferId = await request();
  await leaseTransfers(db, { botId, holder: 'test' }, START_MS, Date.now());
  await reportTransfer(db, transferId, { event: 'answerLost' }, START_MS + minute);
  expect(await counted(START_MS + 51 * minute - 1)).toMatchObject({ doubtfulTransfers: 0 });
  expect(await counted(START_MS + 51 * minute)).toMatchObject({ doubtfulTransfers: 1, stuckTransfers: 0 });
  expect((await listed(START_MS + 51 * minute))?.transfers).toMatchObject([
    { transferId, kind: 'deposit', concern: 'sendingUnknown', offerId: null, sinceMs: START_MS + minute },
  ]);
});

test('A deposit whose offer should have ended, and a trade that should be final, are listed', async () => {
  const stuck = await request();
  await sendQueued(db, START_MS);
  const cancelAtMs = (await transferOf(db, stuck)).cancelAtMs ?? 0;
  expect(await counted(cancelAtMs + 50 * minute - 1)).toMatchObject({ stuckTransfers: 0 });
  const [wanted] = await assetsIn(db, stuck);
  expect((await listed(cancelAtMs + 50 * minute))?.transfers).toMatchObject([
    { transferId: stuck, concern: 'overdue', items: [{ name: 'Demo case', assetId: wanted!.assetId }] },
  ]);
  const unsettled = await deposit(db, streamer, [asset()], START_MS);
  expect((await listed(START_MS + day))?.transfers.map(({ concern }) => concern)).toContain('unsettled');
  expect((await listed(START_MS + day))?.transfers.map(({ transferId }) => transferId)).toContain(unsettled);
});

test('A trade in escrow that Steam does not name is listed within an hour, another after its longest hold', async () => {
  const unnamed = await request();
  const named = await request();
  await sendQueued(db, START_MS);
  for (const [id, tradeId] of [[unnamed], [named, 'trade-1']] as const)
    await reportTransfer(db, id!, { event: 'escrowed', ...(tradeId && { tradeId }) }, START_MS + minute);
  expect((await listed(START_MS + 51 * minute - 1))?.transfers).toEqual([]);
  expect((await listed(START_MS + 51 * minute))?.transfers).toMatchObject([
    { transferId: unnamed, concern: 'tradeUnknown' },
  ]);
  expect((await listed(START_MS + 16 * day + minute))?.transfers).toMatchObject([
    { transferId: unnamed, concern: 'tradeUnknown' },
    { transferId: named, concern: 'escrowed' },
  ]);
});
