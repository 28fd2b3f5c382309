import fc from 'fast-check';
import { expect, test } from 'vitest';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { type SendDelay, sendDelays, setSendDelay } from '#domain/identity/send-delay.ts';
import { hour } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';

type Step =
  | { do: 'choose'; hours: SendDelay; isConfirmed: boolean }
  | { do: 'open' | 'send' }
  | { do: 'claim' | 'cancel' | 'decline'; which: number }
  | { do: 'wait'; hours: number };

const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('choose' as const),
    hours: fc.constantFrom(...sendDelays),
    isConfirmed: fc.boolean(),
  }),
  fc.record({ do: fc.constantFrom('open' as const, 'send' as const) }),
  fc.record({
    do: fc.constantFrom('claim' as const, 'claim' as const, 'cancel' as const, 'decline' as const),
    which,
  }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(0.5, 1, 5, 6, 23, 24, 30) }),
);

/** The delay in force by the whole history of choices: no shorter one within the length of the delay before it. */
function delayInForce(
  choices: readonly { hours: number; isConfirmed: boolean; atMs: number }[],
  nowMs: number,
): number {
  let hours = 0;
  let next = null as { hours: number; fromMs: number } | null;
  for (const choice of [...choices, null]) {
    const atMs = choice?.atMs ?? nowMs;
    if (next && next.fromMs <= atMs) [hours, next] = [next.hours, null];
    if (!choice) break;
    if (choice.hours >= hours) [hours, next] = [choice.hours, null];
    else if (choice.isConfirmed && next?.hours !== choice.hours)
      next = { hours: choice.hours, fromMs: atMs + hours * hour };
  }
  return hours;
}

async function play(steps: readonly Step[]): Promise<void> {
  const db = await openTestDatabase();
  try {
    await addBot(db);
    const streamer = await addStreamer(db);
    const choices: { hours: number; isConfirmed: boolean; atMs: number }[] = [];
    const promised: { userId: string; rewardId: string; fromMs: number }[] = [];
    let nowMs = START_MS;
    const claimsOf = async (reward: string) =>
      (await db.read.select().from(transfers)).filter(({ rewardId }) => rewardId === reward);
    for (const each of steps) {
      const one = 'which' in each ? promised[each.which % Math.max(1, promised.length)] : undefined;
      if (each.do === 'wait') nowMs += each.hours * hour;
      if (each.do === 'choose') {
        const { hours, isConfirmed } = each;
        const chosen = await setSendDelay(db, { userId: streamer.userId, hours, isConfirmed }, nowMs);
        choices.push({ hours, isConfirmed, atMs: nowMs });
        if (chosen.ok) expect(chosen.hours).toBe(delayInForce(choices, nowMs));
      }
      if (each.do === 'open' && promised.length < 4) {
        const viewer = await addPerson(db);
        const { rewards } = await promiseTo(db, streamer, [viewer], { nowMs });
        const fromMs = nowMs + delayInForce(choices, nowMs) * hour;
        promised.push({ userId: viewer.userId, rewardId: rewards[0]!.id, fromMs });
      }
      if (each.do === 'claim' && one) await claimReward(db, one, nowMs);
      if (each.do === 'cancel' && one)
        for (const { id } of await claimsOf(one.rewardId))
          await cancelTransfer(db, { transferId: id, userId: one.userId }, nowMs);
      if (each.do === 'decline' && one)
        for (const { id, state } of await claimsOf(one.rewardId))
          if (state === 'sent') await reportTransfer(db, id, { event: 'declined' }, nowMs);
      if (each.do === 'send') {
        const sent = new Set((await sendQueued(db, nowMs)).map(({ id }) => id));
        for (const { rewardId, fromMs } of promised)
          for (const { id } of await claimsOf(rewardId))
            if (sent.has(id)) expect(nowMs).toBeGreaterThanOrEqual(fromMs);
      }
    }
    // Held back, and not lost: whatever still waits is sent once its time has come.
    const lastMs = Math.max(nowMs, ...promised.map(({ fromMs }) => fromMs));
    await sendQueued(db, lastMs);
    for (const { rewardId } of promised)
      expect((await claimsOf(rewardId)).filter(({ state }) => state === 'queued')).toEqual([]);
  } finally {
    await db.close();
  }
}

test('No claim is sent before its time, in whatever order choices, claims and answers come', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), play), { numRuns: 15 });
});
