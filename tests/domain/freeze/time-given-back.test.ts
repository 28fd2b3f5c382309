import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { recordHeartbeat } from '#domain/bot/record-heartbeat.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { disown, endFreezeOf } from '#tests/support/freezing.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene } from '#tests/support/scene.ts';

setScene();

const runs = Number(process.env.PROPERTY_RUNS ?? (isPostgres ? 6 : 60));
const seed = Number(process.env.PROPERTY_SEED ?? 20_261_129);

/** Minutes after the promise: when the claim waits for its offer, and when the rule is frozen. */
interface History {
  claim: readonly [number, number];
  freeze: readonly [number, number];
  /** Hours after the promise before which its item is not sent. */
  delayHours?: number;
}

/**
 * Plays a history on a rule of its own. Returns by how many minutes the windows of its reward and of another
 * were extended.
 */
async function play({ claim: [from, until], freeze, delayHours = 0 }: History) {
  const at = (minutes: number) => START_MS + minutes * minute;
  const streamer = await addStreamer(db);
  const [viewer, neighbour] = [await addPerson(db), await addPerson(db)];
  const made = await promiseTo(db, streamer, [viewer, neighbour], { claimTimeoutHours: 72 });
  const mine = made.rewards.find(({ userId }) => userId === viewer.userId)!;
  const isMine = eq(transfers.rewardId, mine.id);
  const steps: [number, () => Promise<unknown>][] = [
    [
      from,
      async () => {
        await claimReward(db, { rewardId: mine.id, userId: viewer.userId }, at(from));
        if (delayHours > 0)
          await db.transaction((tx) =>
            tx
              .update(transfers)
              .set({ sendsFromMs: START_MS + delayHours * hour })
              .where(isMine),
          );
      },
    ],
    [
      until,
      async () => {
        const [claimed] = await db.read.select().from(transfers).where(isMine);
        await cancelTransfer(db, { transferId: claimed!.id, userId: viewer.userId }, at(until));
      },
    ],
    [freeze[0], () => disown(db, streamer, START_MS, at(freeze[0]))],
    [freeze[1], () => endFreezeOf(db, streamer, 'goOn', at(freeze[1]))],
  ];
  await recordHeartbeat(db, botId, { systemMs: Date.now(), nowMs: START_MS });
  for (const [, act] of steps.toSorted(([a], [b]) => a - b)) await act();
  const shifts = await db.read
    .select({ id: rewards.id, state: rewards.state, shiftedMs: rewards.claimShiftedMs })
    .from(rewards)
    .where(eq(rewards.ruleId, mine.ruleId));
  const of = (isIt: boolean) => shifts.find(({ id }) => (id === mine.id) === isIt)!;
  expect(of(true).state).toBe('promised');
  return { own: of(true).shiftedMs / minute, other: of(false).shiftedMs / minute };
}

/** Minutes that at least one of two spans covers. */
const covered = ([a, b]: readonly [number, number], [c, d]: readonly [number, number]) =>
  b - a + (d - c) - Math.max(0, Math.min(b, d) - Math.max(a, c));

test.each([
  ['before the freeze', { claim: [10, 25], freeze: [40, 800] }, 775],
  ['during the freeze', { claim: [10, 735], freeze: [40, 801] }, 791],
  ['after the freeze', { claim: [10, 900], freeze: [40, 801] }, 890],
  ['and began after the freeze', { claim: [810, 900], freeze: [40, 801] }, 851],
  [
    'during the freeze, and which its rule held back until then',
    { claim: [10, 735], freeze: [40, 801], delayHours: 5 },
    761,
  ],
  [
    'after the freeze, and which its rule held back until within it',
    { claim: [10, 900], freeze: [40, 801], delayHours: 5 },
    860,
  ],
] as const)('No time is given back twice for a claim that ended %s', async (_, history, minutes) => {
  expect(await play(history)).toEqual({ own: minutes, other: history.freeze[1] - history.freeze[0] });
});

test('Whenever a claim waits and its rule is frozen, its viewer gets back what either covers', async () => {
  const spans = fc
    .uniqueArray(fc.integer({ min: 1, max: 1500 }), { minLength: 4, maxLength: 4 })
    .map((some) => some.toSorted((a, b) => a - b))
    // Nobody claims while it is frozen.
    .chain(([a = 0, b = 0, c = 0, d = 0]) =>
      fc.constantFrom<History>(
        { claim: [a, b], freeze: [c, d] },
        { claim: [a, c], freeze: [b, d] },
        { claim: [a, d], freeze: [b, c] },
        { claim: [c, d], freeze: [a, b] },
      ),
    );
  const property = fc.asyncProperty(spans, async (history) => {
    expect((await play(history)).own).toBe(covered(history.claim, history.freeze));
  });
  await fc.assert(property, { numRuns: runs, seed });
});
