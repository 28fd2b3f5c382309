import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostgres, within } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addStreamer, asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { checkInvariants } from '#tests/support/invariants.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { SmallWorld } from '#tests/support/small-world.ts';

/** A dedicated run covers more and other sequences than every run of the suite. */
const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 3 : 20));
const seed = Number(process.env.PROPERTY_SEED ?? 20_260_105);

/** The weight of each action: productive ones occur more often than those that end everything. */
const weights: Record<string, number> = {
  deposit: 1,
  submitAgain: 1,
  openRule: 1,
  closeRule: 1,
  attach: 4,
  detach: 1,
  weigh: 1,
  pause: 1,
  resume: 2,
  watch: 8,
  sweep: 1,
  claim: 6,
  giveBack: 1,
  cancel: 1,
  stop: 1,
  freeze: 1,
  endFreeze: 2,
  lease: 5,
  send: 6,
  goodDay: 2,
  crash: 2,
  findLost: 3,
  look: 5,
  receiverActs: 6,
  reverse: 3,
  settle: 1,
  hide: 1,
  show: 1,
  reconcile: 1,
  pass: 2,
  expire: 2,
  redeem: 6,
  receivePoints: 3,
  settleByHand: 3,
  leasePoints: 3,
  reportPoints: 4,
  heartbeat: 1,
};

const step = fc.record({
  verb: fc.oneof(
    ...Object.entries(weights).map(([verb, weight]) => ({ weight, arbitrary: fc.constant(verb) })),
  ),
  a: fc.nat(210),
  b: fc.nat(210),
});

test('The ledger leads to each holder even if a process that waited for another wrote an earlier time', async () => {
  await using db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  const [item] = await itemsOf(db, streamer.userId);
  const giveBack = (nowMs: number) => {
    const asked = { requestId: newId(nowMs), userId: streamer.userId, itemIds: [item!.id] };
    return returnItems(db, asked, nowMs);
  };
  await giveBack(START_MS);
  const [sent] = await sendQueued(db, START_MS);
  await reportTransfer(db, sent!.id, { event: 'cancelled' }, START_MS + minute);
  expect(await giveBack(START_MS + 1)).toMatchObject({ ok: true });
  await checkInvariants(db, START_MS + minute, new Map());
});

test('Whatever happens in whatever order, nothing is lost, promised twice or sent twice', async () => {
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 60, maxLength: 100, size: 'max' }),
    async (steps) => {
      await using db = await openTestDatabase();
      const world = await SmallWorld.make(db);
      expect(Object.keys(world.verbs).sort()).toEqual(Object.keys(weights).sort());
      for (const { verb, a, b } of steps) {
        world.nowMs += 1;
        await world.verbs[verb]?.(a, b);
        await checkInvariants(db, world.nowMs, world.received);
        await world.points.check();
        expect(world.steam.sentTwice, 'sent twice').toEqual([]);
      }
      await world.everythingIsSent();
      await world.points.settleAll();
      await world.points.check();
      expect(await world.points.unsettled(), 'points that nobody settles').toEqual([]);
      await checkInvariants(db, world.nowMs, world.received);
      expect(world.steam.sentTwice, 'sent twice').toEqual([]);
      expect(await world.misplaced(), 'held, but not in the bot’s hands').toEqual([]);
      const restless = within(transfers.state, ['sending', 'uncertain', 'unconfirmed', 'sent', 'escrowed']);
      expect(await db.read.$count(transfers, restless), 'transfers that never end').toBe(0);
    },
  );
  await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 60_000 });
});
