import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { transfers } from '#db/schema/transfer.ts';
import { day, hour } from '#domain/time.ts';
import {
  findBotTransfer,
  listAcceptedTrades,
  listBotTransfers,
} from '#domain/transfer/list-bot-transfers.ts';
import { recordTrade } from '#domain/transfer/record-trade.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addBot, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { botId, database, setScene, streamer } from '#tests/support/scene.ts';

setScene();

test('A bot’s accepted trades are listed by their settlement, and its transfers with their own assets', async () => {
  const [one, two] = [asset(), asset('Demo knife')];
  const late = await deposit(database, streamer, [one], START_MS);
  const early = await deposit(database, streamer, [two], START_MS - day);
  const accepted = await listAcceptedTrades(database.read, { botId });
  expect(accepted.map(({ id }) => id)).toEqual([early, late]);
  expect(accepted[1]).toEqual({
    id: late,
    tradeId: (await transferOf(database, late)).tradeId,
    sentAtMs: START_MS,
    settlesAtMs: (await transferOf(database, late)).settlesAtMs,
  });
  expect(await listAcceptedTrades(database.read, { botId: await addBot(database) })).toEqual([]);
  expect((await findBotTransfer(database.read, late))?.assets).toMatchObject([
    { assetId: one.assetId, hasLeft: false },
  ]);
  const listed = await listBotTransfers(database.read, { botId, states: ['accepted'] });
  expect(listed.map(({ id, assets }) => [id, assets.map(({ assetId }) => assetId)])).toEqual(
    [
      [early, [two.assetId]],
      [late, [one.assetId]],
    ].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
  await reportTransfer(database, late, { event: 'reversed' }, START_MS + hour);
  expect((await findBotTransfer(database.read, late))?.assets).toMatchObject([
    { assetId: one.assetId, hasLeft: true },
  ]);
  expect(await findBotTransfer(database.read, 'unknown')).toBeNull();
});

test('A trade is recorded for an accepted transfer that was booked without one, and replaces none', async () => {
  const transferId = await deposit(database, streamer, [asset()]);
  const known = (await transferOf(database, transferId)).tradeId;
  const record = (tradeId: string) => recordTrade(database, { transferId, tradeId });
  const stored = async () => (await transferOf(database, transferId)).tradeId;
  await record('another');
  expect(await stored()).toBe(known);
  await database.transaction(async (tx) => {
    await tx.update(transfers).set({ tradeId: null }).where(eq(transfers.id, transferId));
  });
  await recordTrade(database, { transferId: 'unknown', tradeId: 'another' });
  expect(await stored()).toBeNull();
  await record('found');
  expect(await stored()).toBe('found');
});
