import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { transfers } from '#db/schema/transfer.ts';
import { checkClaim, type StandingReading } from '#domain/claim/check-claim.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { listClaimsToCheck } from '#domain/claim/list-claims-to-check.ts';
import { channelScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { day } from '#domain/kernel/time.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { addPerson, type Person, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf, transferOf } from '#tests/support/looking.ts';
import { addPointsRule, redeem, redemptionOf } from '#tests/support/redemptions.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

const silence: StandingReading = {};

setScene();
let viewer: Person;
beforeEach(async () => {
  viewer = await addPerson(db);
});

const lease = async (checkedClaims: string[] = []) => {
  const asked = { botId, holder: 'one', checkedClaims };
  return (await leaseTransfers(db, asked, START_MS, Date.now())).map(({ id }) => id);
};

/** A viewer's claim of a reward that was promised for channel points. */
async function paid() {
  const ruleId = await addPointsRule(db, streamer);
  const { rewardId, reported } = await redeem(db, ruleId, viewer);
  expect((await claimReward(db, { rewardId: rewardId ?? '', userId: viewer.userId }, START_MS)).ok).toBe(
    true,
  );
  const [queued] = await db.read.select().from(transfers).where(is(transfers.state, 'queued'));
  return { ruleId, reported, transferId: queued?.id ?? '' };
}
const check = (transferId: string, reading: StandingReading, nowMs = START_MS) =>
  checkClaim(db, { transferId, reading }, nowMs);

test('A claim paid with channel points reads the redemption from Twitch, and is sent while the points are open', async () => {
  const { transferId, reported } = await paid();
  expect(await lease()).toEqual([]);
  const { id, twitchRewardId } = reported;
  expect(await listClaimsToCheck(db.read, { botId }, START_MS)).toMatchObject([
    { transferId, checks: { follow: false, subscriber: false, redemption: { id, twitchRewardId } } },
  ]);
  expect(await check(transferId, { redemption: { status: 'UNFULFILLED' } }, START_MS + 2 * day)).toBe('met');
  expect(await lease([transferId])).toEqual([transferId]);
});

test('A claim paid with channel points is withdrawn when the points were refunded, and the reward passes on', async () => {
  const { transferId, reported, ruleId } = await paid();
  expect(await check(transferId, { redemption: { status: 'CANCELED' } })).toBe('unmet');
  expect(await transferOf(db, transferId)).toMatchObject({
    state: 'cancelled',
    lastError: 'redemptionUnmet',
  });
  expect(await rewardsOf(db, ruleId)).toMatchObject([
    { state: 'recalled', recallReason: 'pointsGivenBack' },
    { state: 'free' },
  ]);
  expect(await redemptionOf(db, reported.id)).toMatchObject({ state: 'refunded' });
});

test.each(['deferred', 'answerLost'] as const)(
  'A claim paid with channel points is withdrawn when the points were refunded during a failed sending (%s)',
  async (how) => {
    const { transferId, reported, ruleId } = await paid();
    expect(await check(transferId, { redemption: { status: 'UNFULFILLED' } })).toBe('met');
    expect(await lease([transferId])).toEqual([transferId]);
    await recordRedemption(db, { ...reported, status: 'CANCELED' }, START_MS + 1);
    await reportTransfer(db, transferId, { event: how, runAtMs: START_MS }, START_MS + 2);
    if (how === 'answerLost') await reportTransfer(db, transferId, { event: 'provenAbsent' }, START_MS + 3);
    expect((await transferOf(db, transferId)).state).toBe('queued');
    // The earlier verdict does not send it again; it waits for the bot to withdraw it.
    expect(await lease([transferId])).toEqual([]);
    expect(await listClaimsToCheck(db.read, { botId }, START_MS + 4)).toEqual([]);
    expect(await transferOf(db, transferId)).toMatchObject({ cancelWanted: true });
    await reportTransfer(db, transferId, { event: 'withdrawn' }, START_MS + 4);
    expect(await transferOf(db, transferId)).toMatchObject({
      state: 'cancelled',
      lastError: 'redemptionUnmet',
    });
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack' },
      { state: 'free' },
    ]);
  },
);

test('A claim paid with channel points is sent when the points were fulfilled by hand, now and whenever Twitch is asked', async () => {
  const { transferId, reported } = await paid();
  expect(await check(transferId, { redemption: { status: 'FULFILLED' } })).toBe('met');
  expect(await redemptionOf(db, reported.id)).toMatchObject({ state: 'fulfilled' });
  expect(await check(transferId, silence, START_MS + 2 * day)).toBe('met');
});

test('A claim paid with channel points relies on the redemption itself for a day while Twitch does not answer; then it waits', async () => {
  const { transferId } = await paid();
  expect(await check(transferId, silence, START_MS + day)).toBe('met');
  expect(await check(transferId, silence, START_MS + day + 1)).toBe('unknown');
  // It can no longer be read.
  await db.transaction((tx) => tx.update(twitchAccounts).set({ scopes: [...channelScopes] }));
  expect(await check(transferId, silence, START_MS + day + 1)).toBe('met');
  await db.transaction(async (tx) => {
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, streamer.twitchId));
  });
  expect(await check(transferId, silence, START_MS + day + 1)).toBe('met');
});
