import { beforeEach, expect, test, vi } from 'vitest';
import { checkClaims } from '#bot/steam/transfers/check-claims.ts';
import { is } from '#db/dialect.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import { driftOutgoing } from '#tests/support/drift.ts';
import { addPerson, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});
const follows = { follow: { followedAtMs: START_MS - 40 * day } };

/** So many queued claims under a rule on following. */
async function queueClaims(amount: number): Promise<void> {
  const viewers = await Promise.all(Array.from({ length: amount }, () => addPerson(db)));
  const { rewards } = await promiseTo(db, streamer, viewers);
  for (const { id: rewardId, userId } of rewards)
    await claimReward(db, { rewardId, userId: userId! }, START_MS);
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ followDays: 30 });
  });
}

function checking(reading: object = follows) {
  const { work, time } = makeTransferWork(db, botId, {});
  const readStanding = vi.fn(async () => reading);
  const log = { info: vi.fn(), warn: vi.fn() };
  const deps = { ...work.deps, log: log as never };
  const claims = checkClaims({ ...work, deps, readStanding });
  return { claims, readStanding, work, time, log };
}
const { signal } = new AbortController();

test('The next round is due when the first verdict expires', async () => {
  await queueClaims(1);
  const { claims } = checking();
  expect(await claims.round(signal)).toBe(minute);
  passTime(10 * second);
  expect(await claims.round(signal)).toBe(minute - 10 * second);
  await db.transaction(async (tx) => {
    await tx
      .update(transfers)
      .set({ runAtMs: START_MS + 7 })
      .where(is(transfers.state, 'queued'));
  });
  expect(await claims.round(signal)).toBe(7);
});

test('A claim whose time comes while a round looks for it is not forgotten', async () => {
  await queueClaims(1);
  await db.transaction(async (tx) => {
    await tx
      .update(transfers)
      .set({ runAtMs: START_MS + 1 })
      .where(is(transfers.state, 'queued'));
  });
  const { claims, time } = checking();
  let asked = 0;
  Object.defineProperty(time, 'nowMs', { get: () => START_MS + asked++ });
  expect(await claims.round(signal)).toBe(1);
});

test('Without claims to check nothing is due', async () => {
  expect(await checking().claims.round(signal)).toBeNull();
});

test('Twitch is not asked about a claim that waits for the operator', async () => {
  await queueClaims(1);
  const [item] = await itemsOf(db, streamer.userId);
  await driftOutgoing(db, [item!.id], START_MS);
  const { claims, readStanding } = checking();
  expect(await claims.round(signal)).toBeNull();
  expect(readStanding).not.toHaveBeenCalled();
});

test('Without the bot’s account nobody asks Twitch', async () => {
  await queueClaims(1);
  const { work } = makeTransferWork(db, botId, {});
  const readStanding = vi.fn();
  const claims = checkClaims({ ...work, account: () => null, readStanding });
  expect(await claims.round(signal)).toBeNull();
  expect(readStanding).not.toHaveBeenCalled();
});

test('A process that stops begins no further claims', async () => {
  await queueClaims(12);
  const stopping = new AbortController();
  const { work } = makeTransferWork(db, botId, {});
  const readStanding = vi.fn(async () => {
    stopping.abort();
    return follows;
  });
  await checkClaims({ ...work, readStanding }).round(stopping.signal);
  expect(readStanding).toHaveBeenCalledTimes(10);
});

test('The log says why a claim was withdrawn or waits, once for each verdict', async () => {
  await queueClaims(1);
  const silent = checking({});
  await silent.claims.round(signal);
  expect(silent.log.warn.mock.calls.map(([, text]) => text)).toEqual(['claim waits until Twitch answers']);
  expect(silent.claims.checked()).toEqual([]);
  silent.time.nowMs = START_MS + day;
  passTime(minute);
  await silent.claims.round(signal);
  expect(silent.log.warn).toHaveBeenCalledTimes(2);
  expect(silent.log.warn.mock.calls[1]?.[1]).toMatch(/withdrawn: Twitch did not answer/);
  expect(silent.log.info).not.toHaveBeenCalled();
});

test('A claim whose condition ended is logged as withdrawn', async () => {
  await queueClaims(1);
  const gone = checking({ follow: { followedAtMs: null } });
  await gone.claims.round(signal);
  expect(gone.log.info.mock.calls.map(([, text]) => text)).toEqual([
    'claim withdrawn: a condition is no longer met',
  ]);
  expect(gone.log.warn).not.toHaveBeenCalled();
});
