import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import {
  findBotTransfer,
  listAcceptedTrades,
  listBotTransfers,
  listTransfersToCancel,
  nextCancelMs,
} from '#domain/transfer/list-bot-transfers.ts';
import { recordTrade } from '#domain/transfer/record-trade.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addBot, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const insertTransfers = insertManyInto(transfers, 'many_transfers');

test('A bot’s accepted trades are listed by their settlement, and its transfers with their own assets', async () => {
  const [one, two] = [asset(), asset('Demo knife')];
  const late = await deposit(db, streamer, [one], START_MS);
  const early = await deposit(db, streamer, [two], START_MS - day);
  const accepted = await listAcceptedTrades(db.read, { botId });
  expect(accepted.map(({ id }) => id)).toEqual([early, late]);
  expect(accepted[1]).toEqual({
    id: late,
    state: 'accepted',
    tradeId: (await transferOf(db, late)).tradeId,
    sentAtMs: START_MS,
    settlesAtMs: (await transferOf(db, late)).settlesAtMs,
    unclear: null,
    unclearSinceMs: null,
  });
  expect(await listAcceptedTrades(db.read, { botId: await addBot(db) })).toEqual([]);
  expect((await findBotTransfer(db.read, late))?.assets).toMatchObject([
    { assetId: one.assetId, hasLeft: false },
  ]);
  const listed = await listBotTransfers(db.read, { botId, states: ['accepted'] });
  expect(listed.map(({ id, assets }) => [id, assets.map(({ assetId }) => assetId)])).toEqual(
    [
      [early, [two.assetId]],
      [late, [one.assetId]],
    ].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
  await reportTransfer(db, late, { event: 'reversed' }, START_MS + hour);
  expect((await findBotTransfer(db.read, late))?.assets).toMatchObject([
    { assetId: one.assetId, hasLeft: true },
  ]);
  expect(await findBotTransfer(db.read, 'unknown')).toBeNull();
});

test('A trade is recorded for an accepted transfer that was booked without one, and replaces none', async () => {
  const transferId = await deposit(db, streamer, [asset()]);
  const known = (await transferOf(db, transferId)).tradeId;
  const record = (tradeId: string) => recordTrade(db, { transferId, tradeId });
  const stored = async () => (await transferOf(db, transferId)).tradeId;
  await record('another');
  expect(await stored()).toBe(known);
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ tradeId: null }).where(eq(transfers.id, transferId));
  });
  await recordTrade(db, { transferId: 'unknown', tradeId: 'another' });
  expect(await stored()).toBeNull();
  await record('found');
  expect(await stored()).toBe('found');
});

test('Only offers that are not wanted or not answered in time are listed to be cancelled', async () => {
  const change = (id: string, facts: Partial<typeof transfers.$inferInsert>) =>
    db.transaction((tx) => tx.update(transfers).set(facts).where(eq(transfers.id, id)));
  const ids: string[] = [];
  for (const name of ['late', 'in time', 'queued', 'unwanted', 'ended'])
    ids.push(await deposit(db, streamer, [asset(name)], START_MS + ids.length));
  const [late, inTime, queued, unwanted, ended] = ids as [string, string, string, string, string];
  await change(late, { state: 'sent', cancelAtMs: START_MS });
  await change(inTime, { state: 'unconfirmed', cancelAtMs: START_MS + 1 });
  await change(queued, { state: 'queued', cancelAtMs: START_MS });
  await change(unwanted, { state: 'queued', cancelAtMs: null, cancelWanted: true });
  await change(ended, { state: 'expired', cancelAtMs: START_MS, cancelWanted: true });
  const list = async (nowMs: number) =>
    (await listTransfersToCancel(db.read, { botId }, nowMs)).map(({ id, assets }) => [id, assets.length]);
  expect(await list(START_MS - 1)).toEqual([[unwanted, 1]]);
  expect(await list(START_MS)).toEqual([
    [late, 1],
    [unwanted, 1],
  ]);
  expect(await nextCancelMs(db.read, { botId }, START_MS)).toBe(1);
  expect(await nextCancelMs(db.read, { botId }, START_MS + 1)).toBeNull();
  expect(await listTransfersToCancel(db.read, { botId: await addBot(db) }, START_MS)).toEqual([]);
});

/** More than SQLite takes as values of one statement; PostgreSQL takes twice as many. */
const MANY = 33_000;

test.skipIf(isPostgres)('More transfers are listed than a statement takes values', async () => {
  const [first] = await db.read
    .select()
    .from(transfers)
    .where(eq(transfers.id, await deposit(db, streamer, [asset()], START_MS)));
  const others = Array.from({ length: MANY }, (_, each) => ({
    ...first!,
    id: newId(START_MS + 1 + each),
    offerId: null,
    state: 'sending' as const,
  }));
  await db.transaction(async (tx) => insertTransfers(tx, others));
  const listed = await listBotTransfers(db.read, { botId, states: ['sending'] });
  expect(listed.length).toBe(MANY);
});
