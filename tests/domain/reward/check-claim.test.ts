import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchTimes } from '#db/schema/channel.ts';
import { transfers } from '#db/schema/transfer.ts';
import { recordFollows } from '#domain/channel/record-follows.ts';
import { day, hour } from '#domain/clock.ts';
import { checkClaim, type FollowReading } from '#domain/reward/check-claim.ts';
import { claimReward } from '#domain/reward/claim-reward.ts';
import { listClaimsToCheck } from '#domain/reward/list-claims-to-check.ts';
import { getMyReward } from '#domain/reward/list-my-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf, stepsOf, transferOf } from '#tests/support/looking.ts';

const FOLLOW_DAYS = 30;
const longAgo: FollowReading = { followedAtMs: START_MS - 40 * day };
const gone: FollowReading = { followedAtMs: null };

let database: TestDatabase;
let botId: string;
let streamer: Person;
let viewer: Person;
beforeEach(async () => {
  database = await openTestDatabase();
  botId = await addBot(database);
  streamer = await addStreamer(database);
  viewer = await addPerson(database);
});
afterEach(() => database.close());

/** A viewer who followed long enough was promised a reward and claims it now. */
async function claimed() {
  const ruleId = await addRule(database, streamer, { watchMinutes: null, followDays: FOLLOW_DAYS });
  const followers = [{ twitchId: viewer.twitchId, followedAtMs: START_MS - 40 * day }];
  await recordFollows(database, {
    channelId: streamer.twitchId,
    followers,
    complete: true,
    readAtMs: START_MS,
  });
  await evaluateChannel(database, streamer.twitchId, START_MS);
  const [reward] = await rewardsOf(database, ruleId);
  const rewardId = reward?.id ?? '';
  return { rewardId, transferId: await claim(rewardId) };
}

async function claim(rewardId: string, nowMs = START_MS) {
  expect((await claimReward(database, { rewardId, userId: viewer.userId }, nowMs)).ok).toBe(true);
  const queued = await database.read.select().from(transfers).where(eq(transfers.state, 'queued'));
  return queued.find((transfer) => transfer.rewardId === rewardId)?.id ?? '';
}

const lease = async (checkedClaims: string[] = [], nowMs = START_MS) => {
  const leased = await leaseTransfers(database, { botId, holder: 'one', checkedClaims }, nowMs, Date.now());
  return leased.map(({ id }) => id);
};
const mine = (rewardId: string) => getMyReward(database, { rewardId, userId: viewer.userId });

test('A claim under a rule that asks for following stays in the queue until it was checked again', async () => {
  const { transferId } = await claimed();
  expect(await lease()).toEqual([]);
  expect(await listClaimsToCheck(database.read, { botId }, START_MS)).toEqual([
    { transferId, channelId: streamer.twitchId, twitchId: viewer.twitchId },
  ]);
  expect(await checkClaim(database, { transferId, follow: longAgo }, START_MS)).toBe('holds');
  expect(await lease([transferId])).toEqual([transferId]);
  expect(await listClaimsToCheck(database.read, { botId }, START_MS)).toEqual([]);
});

test('A viewer who follows no longer is promised the reward again and told which condition is missing', async () => {
  const { rewardId, transferId } = await claimed();
  expect(await checkClaim(database, { transferId, follow: gone }, START_MS)).toBe('unmet');
  expect(await transferOf(database, transferId)).toMatchObject({
    state: 'cancelled',
    lastError: 'followUnmet',
  });
  expect(await stepsOf(database, transferId)).toEqual(['requested', 'withdrawn']);
  expect(await mine(rewardId)).toMatchObject({ state: 'promised', unmetCondition: 'follow', offer: null });
  expect(await lease([transferId])).toEqual([]);
});

test('A viewer who followed anew has not followed long enough', async () => {
  const { transferId } = await claimed();
  const follow = { followedAtMs: START_MS - FOLLOW_DAYS * day + 1 };
  expect(await checkClaim(database, { transferId, follow }, START_MS)).toBe('unmet');
});

test('The next claim empties what was missing', async () => {
  const { rewardId, transferId } = await claimed();
  await checkClaim(database, { transferId, follow: gone }, START_MS);
  const again = await claim(rewardId, START_MS + hour);
  expect(await mine(rewardId)).toMatchObject({ state: 'reserved', unmetCondition: null });
  expect(await checkClaim(database, { transferId: again, follow: longAgo }, START_MS + hour)).toBe('holds');
});

test('An unmet claim whose window is over is recalled, and still says which condition it was', async () => {
  const { rewardId, transferId } = await claimed();
  const late = START_MS + 4 * day;
  expect(await checkClaim(database, { transferId, follow: gone }, late)).toBe('unmet');
  expect(await mine(rewardId)).toMatchObject({ state: 'recalled', unmetCondition: 'follow' });
});

test('While Twitch is silent, what was read within a day decides', async () => {
  const { transferId } = await claimed();
  const follow = null;
  expect(await checkClaim(database, { transferId, follow }, START_MS + day)).toBe('holds');
  expect(await checkClaim(database, { transferId, follow }, START_MS + day + 1)).toBe('unknown');
  expect(await transferOf(database, transferId)).toMatchObject({ state: 'queued' });
});

test('While Twitch is silent, a list without the viewer decides as well', async () => {
  const { transferId } = await claimed();
  const readAtMs = START_MS + hour;
  await recordFollows(database, { channelId: streamer.twitchId, followers: [], complete: true, readAtMs });
  expect(await checkClaim(database, { transferId, follow: null }, readAtMs + hour)).toBe('unmet');
});

test('A claim under a rule that asks for watch time alone is not checked again', async () => {
  const ruleId = await addRule(database, streamer, { watchMinutes: 1, watchScope: 'allTime' });
  await database.transaction(async (tx) => {
    const facts = { channelId: streamer.twitchId, twitchId: viewer.twitchId, seconds: 60, lookAtSeconds: 0 };
    await tx.insert(watchTimes).values(facts);
  });
  await evaluateChannel(database, streamer.twitchId, START_MS);
  const [reward] = await rewardsOf(database, ruleId);
  const transferId = await claim(reward?.id ?? '');
  expect(await listClaimsToCheck(database.read, { botId }, START_MS)).toEqual([]);
  expect(await lease()).toEqual([transferId]);
});
