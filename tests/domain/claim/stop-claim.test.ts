import { and, eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { rewards, type StopReason, stopReasons } from '#db/schema/reward.ts';
import { users } from '#db/schema/user.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { stopClaim } from '#domain/claim/stop-claim.ts';
import { newId } from '#domain/kernel/id.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { countClaims } from '#domain/plan/usage-counts.ts';
import { usageMonth } from '#domain/plan/usage-month.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { endStoppedClaim } from '#domain/reward/end-stopped-claim.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { listTransfersToCancel } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { exportProof } from '#domain/view/export-proof.ts';
import { COUNTED_PROMISES, getDeliveries } from '#domain/view/get-deliveries.ts';
import { getRuleProof, listDraws } from '#domain/view/get-proof.ts';
import { getGivenReward } from '#domain/view/list-given-rewards.ts';
import { listHistory } from '#domain/view/list-history.ts';
import { getMyReward } from '#domain/view/list-my-rewards.ts';
import { acceptOffer, addPerson, type Person, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, rewardsOf, stepsOf, transferOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const LATER_MS = START_MS + hour;

let viewer: Person;
let next: Person;
let ruleId: string;
let rewardId: string;
/** One reward, promised to the first of two viewers who met the rule. */
beforeEach(async () => {
  viewer = await addPerson(db);
  next = await addPerson(db);
  const made = await promiseTo(db, streamer, [viewer, next], { rewards: 1 });
  ruleId = made.ruleId;
  const [promised] = made.rewards.filter(({ twitchId }) => twitchId !== null);
  rewardId = promised!.id;
  if (promised!.userId !== viewer.userId) [viewer, next] = [next, viewer];
});

const stop = (reason: StopReason = 'mistake', ownerId = streamer.userId, nowMs = LATER_MS) =>
  stopClaim(db, { rewardId, ownerId, reason }, nowMs);
const myReward = () => getMyReward(db, { rewardId, userId: viewer.userId });
const given = () => getGivenReward(db, { rewardId, ownerId: streamer.userId });
const stopped = async () => (await getDeliveries(db, streamer.twitchId)).record.stopped;
async function claim(): Promise<string> {
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, START_MS);
  if (!claimed.ok) throw new Error(claimed.code);
  return (await given())!.transferId!;
}
async function lease(): Promise<string> {
  const transferId = await claim();
  await leaseTransfers(db, { botId, holder: 'test' }, START_MS, Date.now());
  return transferId;
}
async function send(): Promise<string> {
  const transferId = await claim();
  await sendQueued(db, START_MS);
  return transferId;
}
async function letters(template: 'claimStopped' | 'stoppedTooLate', { userId }: Person) {
  const [user] = await db.read.select().from(users).where(eq(users.id, userId));
  const rows = await db.read
    .select({ values: mails.values })
    .from(mails)
    .where(and(eq(mails.template, template), eq(mails.recipient, user!.email)));
  return rows.map(({ values }) => values);
}

describe('A claim that its owner stops before its offer is on Steam ends at once', () => {
  test.each([
    ['that nobody has claimed', async () => {}],
    ['whose transfer is queued', async () => void (await claim())],
  ])('one %s', async (_name, go) => {
    await go();
    expect(await stop('accountStolen')).toEqual({ ok: true, stopped: true });
    expect(await myReward()).toMatchObject({
      state: 'recalled',
      recallReason: 'stopped',
      stopReason: 'accountStolen',
      offer: null,
      claimFailure: null,
    });
    expect(await given()).toMatchObject({ status: 'stopped', stopReason: 'accountStolen' });
    const { rows } = await listHistory(db, { userId: viewer.userId, status: 'stopped' });
    expect(rows).toMatchObject([{ id: rewardId, status: 'stopped', stopReason: 'accountStolen' }]);
    expect(await letters('claimStopped', viewer)).toMatchObject([{ reason: 'accountStolen' }]);
    expect(await letters('stoppedTooLate', streamer)).toEqual([]);
  });

  test('and the viewer’s claim of the month is given back', async () => {
    const transferId = await claim();
    const claims = () => countClaims(db.read, viewer.userId, usageMonth(START_MS));
    expect(await claims()).toBe(1);
    await stop();
    expect(await claims()).toBe(0);
    expect(await stepsOf(db, transferId)).toEqual(['requested', 'withdrawn']);
    expect(await claimReward(db, { rewardId, userId: viewer.userId }, LATER_MS)).toMatchObject({
      ok: false,
    });
  });
});

test('The rule promises its viewer nothing again, whatever becomes free', async () => {
  await stop('ruleAbused');
  await evaluateChannel(db, streamer.twitchId, LATER_MS + hour);
  const promised = (await rewardsOf(db, ruleId)).filter(({ twitchId }) => twitchId !== null);
  expect(promised.map(({ twitchId, state }) => [twitchId, state])).toEqual([
    [viewer.twitchId, 'recalled'],
    [next.twitchId, 'promised'],
  ]);
});

test.each([
  ['accountStolen', 0],
  ['mistake', 0],
  ['ruleAbused', 1],
] as const)('Stopped for "%s", the item goes to %i other viewers of the rule', async (reason, others) => {
  await stop(reason);
  const live = (await rewardsOf(db, ruleId)).filter(({ state }) => state === 'promised');
  expect(live).toHaveLength(others);
});

describe('An offer that may be on Steam', () => {
  test('is cancelled there, and only then the promise ends', async () => {
    const transferId = await send();
    expect(await stop('ruleAbused')).toEqual({ ok: true, stopped: false });
    expect(await myReward()).toMatchObject({ state: 'reserved', stopReason: 'ruleAbused' });
    expect(await given()).toMatchObject({ status: 'offerSent', stopAskedAtMs: LATER_MS });
    expect(await letters('claimStopped', viewer)).toEqual([]);
    expect(await listTransfersToCancel(db.read, { botId }, LATER_MS)).toMatchObject([{ id: transferId }]);
    await reportTransfer(db, transferId, { event: 'cancelled' }, LATER_MS + 1);
    expect(await given()).toMatchObject({ status: 'stopped', stopReason: 'ruleAbused' });
    expect(await letters('claimStopped', viewer)).toMatchObject([{ reason: 'ruleAbused' }]);
    expect(await stopped()).toEqual({ accountStolen: 0, ruleAbused: 1, mistake: 0 });
  });

  test.each(['declined', 'expired', 'invalidated'] as const)(
    'that was %s instead ends the promise as well',
    async (event) => {
      const transferId = await send();
      await stop();
      await reportTransfer(db, transferId, { event }, LATER_MS + 1);
      expect(await given()).toMatchObject({ status: 'stopped' });
    },
  );

  test('that was being sent is cancelled or withdrawn, whatever its answer was', async () => {
    const transferId = await lease();
    expect(await stop()).toEqual({ ok: true, stopped: false });
    await reportTransfer(db, transferId, { event: 'deferred', runAtMs: LATER_MS }, LATER_MS);
    expect(await listTransfersToCancel(db.read, { botId }, LATER_MS)).toMatchObject([
      { id: transferId, state: 'queued' },
    ]);
    expect(await leaseTransfers(db, { botId, holder: 'test' }, LATER_MS + day, Date.now())).toEqual([]);
    await reportTransfer(db, transferId, { event: 'withdrawn' }, LATER_MS);
    expect(await given()).toMatchObject({ status: 'stopped' });
  });

  test('that was accepted first stands: the viewer has the item, and the owner is told', async () => {
    const transferId = await send();
    await stop();
    await acceptOffer(db, transferId, await assetsIn(db, transferId), LATER_MS + 1);
    expect(await myReward()).toMatchObject({ state: 'claimed', stopReason: 'mistake' });
    expect(await given()).toMatchObject({ status: 'delivered', stopAskedAtMs: LATER_MS });
    expect(await letters('claimStopped', viewer)).toEqual([]);
    expect(await letters('stoppedTooLate', streamer)).toMatchObject([{ item: 'Demo case' }]);
    expect(await stopped()).toEqual({ accountStolen: 0, ruleAbused: 0, mistake: 0 });
  });
});

describe('A stop is refused', () => {
  test('once the offer was accepted, also while Steam holds it', async () => {
    const transferId = await send();
    await reportTransfer(db, transferId, { event: 'escrowed' }, LATER_MS);
    expect(await stop()).toEqual({ ok: false, code: 'claimAccepted' });
    await acceptOffer(db, transferId, await assetsIn(db, transferId), LATER_MS);
    expect(await stop()).toEqual({ ok: false, code: 'claimAccepted' });
    expect(await transferOf(db, transferId)).toMatchObject({ cancelWanted: false });
    expect(await myReward()).toMatchObject({ stopReason: null });
  });

  test('for anybody but the owner of the rule', async () => {
    for (const { userId } of [viewer, next])
      expect(await stop('mistake', userId)).toEqual({ ok: false, code: 'notFound' });
    expect(await myReward()).toMatchObject({ state: 'promised', stopReason: null });
  });

  test('for a promise that has ended', async () => {
    const transferId = await send();
    await reportTransfer(db, transferId, { event: 'declined' }, START_MS + 30 * day);
    expect(await stop('mistake', streamer.userId, START_MS + 31 * day)).toEqual({
      ok: false,
      code: 'claimEnded',
    });
  });
});

test('Stopping twice answers the same, counts once and keeps the first reason', async () => {
  const transferId = await send();
  for (const reason of ['ruleAbused', 'mistake'] as const)
    expect(await stop(reason)).toEqual({ ok: true, stopped: false });
  await reportTransfer(db, transferId, { event: 'cancelled' }, LATER_MS + 1);
  for (const reason of stopReasons) expect(await stop(reason)).toEqual({ ok: true, stopped: true });
  expect(await stopped()).toEqual({ accountStolen: 0, ruleAbused: 1, mistake: 0 });
  expect(await letters('claimStopped', viewer)).toHaveLength(1);
});

/** On a server a claim may commit between reading a promise and ending it; elsewhere it is before or after. */
test.each<[string, (tx: ChannelTx) => Promise<unknown>]>([
  ['stop', (tx) => endStoppedClaim(tx, rewardId, 'stopped', { stopReason: 'mistake' }, LATER_MS)],
  ['timeout', (tx) => advanceReward(tx, rewardId, 'timedOut', { recallReason: 'timedOut' }, LATER_MS)],
  [
    'revocation',
    (tx) => advanceReward(tx, rewardId, 'revoked', { recallReason: 'pointsGivenBack' }, LATER_MS),
  ],
])('A %s that was decided before the claim leaves the claim as it is', async (_name, end) => {
  const transferId = await claim();
  expect(await db.transaction(end, { lock: channelLock(streamer.twitchId) })).toBeFalsy();
  expect(await given()).toMatchObject({ status: 'claimed', stopReason: null });
  expect(await stepsOf(db, transferId)).toEqual(['requested']);
});

test('Stops and claims at once leave a claim stopped', async () => {
  await Promise.all([claimReward(db, { rewardId, userId: viewer.userId }, START_MS), stop()]);
  expect(await given()).toMatchObject({ status: 'stopped', stopReason: 'mistake' });
  expect(await sendQueued(db, LATER_MS)).toEqual([]);
});

test('The draw of a stopped claim says so in the proof, which can change until the last promise has ended', async () => {
  const drawn = await addRandomRule(db, streamer, { 'Demo glove': 2 }, { nowMs: START_MS });
  const winners = [await addPerson(db), await addPerson(db)];
  await watchFor(
    db,
    streamer.twitchId,
    winners.map(({ twitchId }) => [twitchId, 600] as const),
  );
  await evaluateChannel(db, streamer.twitchId, START_MS);
  await closeRule(db, { ruleId: drawn, userId: streamer.userId }, LATER_MS);
  const { rows } = await listDraws(db, { ruleId: drawn });
  const [first, second] = rows.map((draw) => draw.rewardId);
  const stopOne = (id: string, reason: StopReason) =>
    stopClaim(db, { rewardId: id, ownerId: streamer.userId, reason }, LATER_MS);
  await stopOne(second!, 'ruleAbused');
  const proof = (await getRuleProof(db, drawn))!;
  expect(proof).toMatchObject({ isOver: false, stopped: { accountStolen: 0, ruleAbused: 1, mistake: 0 } });
  expect((await listDraws(db, { ruleId: drawn })).rows.map((draw) => draw.stopped)).toEqual([
    null,
    'ruleAbused',
  ]);
  const page = await exportProof(db, { proof, after: 0 });
  expect(page.draws.map((draw) => draw.stopped)).toEqual([null, 'ruleAbused']);
  expect(page.draws.map((draw) => draw.fingerprint)).toEqual(rows.map((draw) => draw.fingerprint));
  await stopOne(first!, 'mistake');
  expect(await getRuleProof(db, drawn)).toMatchObject({ isOver: true });
});

test('The channel’s record counts stopped claims behind any number of later promises', async () => {
  await stop('mistake');
  const [row] = await rewardsOf(db, ruleId);
  await db.transaction(async (tx) => {
    for (let nth = 0; nth < COUNTED_PROMISES + 1; nth++)
      await tx.insert(rewards).values({
        ...row!,
        id: newId(START_MS + day),
        state: 'claimed',
        recallReason: null,
        stopReason: null,
        twitchId: `later-${nth}`,
        promisedAtMs: START_MS + day + nth,
      });
  });
  const { record } = await getDeliveries(db, streamer.twitchId);
  expect(record).toMatchObject({ isWhole: false, stopped: { mistake: 1 } });
});
