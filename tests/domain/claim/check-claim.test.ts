import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows, watchTimes } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';
import { recordFollows as recordReported } from '#domain/audience/record-follows.ts';
import { CHECKS_APART_MS } from '#domain/channel/absence.ts';
import { recordFollow } from '#domain/channel/record-follow.ts';
import { recordSubscribers } from '#domain/channel/record-subscribers.ts';
import { checkClaim, type StandingReading } from '#domain/claim/check-claim.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { listClaimsToCheck } from '#domain/claim/list-claims-to-check.ts';
import { settleDrift } from '#domain/custody/settle-drift.ts';
import { day, hour } from '#domain/kernel/time.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { getMyReward } from '#domain/view/list-my-rewards.ts';
import { driftOutgoing } from '#tests/support/drift.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { rewardsOf, stepsOf, transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

const FOLLOW_DAYS = 30;
const longAgo: StandingReading = { follow: { followedAtMs: START_MS - 40 * day } };
const gone: StandingReading = { follow: { followedAtMs: null } };
const silence: StandingReading = {};

setScene();
let viewer: Person;
beforeEach(async () => {
  viewer = await addPerson(db);
});

/** A viewer who followed long enough and has a tier 2 subscription is promised a reward and claims it. */
async function claimed(asked: Partial<RuleDraft> = { followDays: FOLLOW_DAYS }, nowMs = START_MS) {
  const ruleId = await addRule(db, streamer, { watchMinutes: null, ...asked });
  const followers = [{ twitchId: viewer.twitchId, followedAtMs: START_MS - 40 * day }];
  await recordFollows(db, {
    channelId: streamer.twitchId,
    followers,
    complete: true,
    readAtMs: START_MS,
  });
  const subscribers = [{ twitchId: viewer.twitchId, tier: 2 as const }];
  await recordSubscribers(db, {
    channelId: streamer.twitchId,
    subscribers,
    readAtMs: START_MS,
  });
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const [reward] = await rewardsOf(db, ruleId);
  const rewardId = reward?.id ?? '';
  return { rewardId, transferId: await claim(rewardId, nowMs) };
}

async function claim(rewardId: string, nowMs = START_MS) {
  expect((await claimReward(db, { rewardId, userId: viewer.userId }, nowMs)).ok).toBe(true);
  const queued = await db.read.select().from(transfers).where(is(transfers.state, 'queued'));
  return queued.find((transfer) => transfer.rewardId === rewardId)?.id ?? '';
}

/** Lists nobody twice, the second time late enough to end every follow. */
async function listNobodyTwice(fromMs: number) {
  const nobody = { channelId: streamer.twitchId, followers: [], complete: true } as const;
  for (const readAtMs of [fromMs, fromMs + CHECKS_APART_MS]) await recordFollows(db, { ...nobody, readAtMs });
}

const lease = async (checkedClaims: string[] = [], nowMs = START_MS) => {
  const leased = await leaseTransfers(db, { botId, holder: 'one', checkedClaims }, nowMs, Date.now());
  return leased.map(({ id }) => id);
};
const mine = (rewardId: string) => getMyReward(db, { rewardId, userId: viewer.userId });

test('A claim under a follow rule stays queued until it was rechecked', async () => {
  const { transferId } = await claimed();
  expect(await lease()).toEqual([]);
  expect(await listClaimsToCheck(db.read, { botId }, START_MS)).toEqual([
    {
      transferId,
      channelId: streamer.twitchId,
      twitchId: viewer.twitchId,
      checks: { follow: true, subscriber: false, redemption: null },
    },
  ]);
  expect(await checkClaim(db, { transferId, reading: longAgo }, START_MS)).toBe('met');
  expect(await lease([transferId])).toEqual([transferId]);
  expect(await listClaimsToCheck(db.read, { botId }, START_MS)).toEqual([]);
});

test('A viewer who no longer follows is promised the reward again and told which condition is not met', async () => {
  const { rewardId, transferId } = await claimed();
  expect(await checkClaim(db, { transferId, reading: gone }, START_MS)).toBe('unmet');
  expect(await transferOf(db, transferId)).toMatchObject({
    state: 'cancelled',
    lastError: 'followUnmet',
  });
  expect(await stepsOf(db, transferId)).toEqual(['requested', 'withdrawn']);
  expect(await mine(rewardId)).toMatchObject({ state: 'promised', unmetCondition: 'follow', offer: null });
  expect(await lease([transferId])).toEqual([]);
});

test('A viewer who followed again has not followed long enough', async () => {
  const { transferId } = await claimed();
  const reading = { follow: { followedAtMs: START_MS - FOLLOW_DAYS * day + 1 } };
  expect(await checkClaim(db, { transferId, reading }, START_MS)).toBe('unmet');
});

test('An answer that was asked for before a follow was reported withdraws the claim, and leaves the follow', async () => {
  const { transferId } = await claimed();
  const [channelId, twitchId] = [streamer.twitchId, viewer.twitchId];
  const followers = [{ twitchId, followedAtMs: START_MS + 2000 }];
  await recordReported(db, { channelId, followers }, START_MS + 2000);
  const early = { transferId, reading: gone, askedAtMs: START_MS + 1000 };
  expect(await checkClaim(db, early, START_MS + 3000)).toBe('unmet');
  const known = async () => (await db.read.select().from(follows)).map(({ seenAtMs }) => seenAtMs);
  expect(await known()).toEqual([START_MS + 2000]);
  await db.transaction((tx) =>
    recordFollow(tx, { channelId, twitchId, followedAtMs: null }, START_MS + 2000),
  );
  expect(await known()).toEqual([]);
});

test('An answer counts as of when Twitch was asked, so that a list begun after it is newer', async () => {
  const { transferId } = await claimed();
  await checkClaim(db, { transferId, reading: longAgo, askedAtMs: START_MS + 1000 }, START_MS + 9000);
  const [follow] = await db.read.select().from(follows);
  expect(follow?.seenAtMs).toBe(START_MS + 1000);
});

test('The next claim clears the unmet condition', async () => {
  const { rewardId, transferId } = await claimed();
  await checkClaim(db, { transferId, reading: gone }, START_MS);
  const again = await claim(rewardId, START_MS + hour);
  expect(await mine(rewardId)).toMatchObject({ state: 'reserved', unmetCondition: null });
  expect(await checkClaim(db, { transferId: again, reading: longAgo }, START_MS + hour)).toBe('met');
});

test('An unmet claim that waited past its window keeps what was left of it, and names the condition', async () => {
  const { rewardId, transferId } = await claimed();
  const { claimUntilMs } = (await mine(rewardId))!;
  const late = START_MS + 4 * day;
  expect(await checkClaim(db, { transferId, reading: gone }, late)).toBe('unmet');
  expect(await mine(rewardId)).toMatchObject({
    state: 'promised',
    claimUntilMs: claimUntilMs + 4 * day,
    unmetCondition: 'follow',
  });
});

test('While Twitch does not answer, facts less than a day old decide', async () => {
  const { transferId } = await claimed();
  expect(await checkClaim(db, { transferId, reading: silence }, START_MS + day)).toBe('met');
  const later = await claimed({ followDays: FOLLOW_DAYS }, START_MS + hour);
  const check = { transferId: later.transferId, reading: silence };
  expect(await checkClaim(db, check, START_MS + day + 1)).toBe('unknown');
  expect(await transferOf(db, later.transferId)).toMatchObject({ state: 'queued' });
});

/** The changes of a broadcaster's grant after which Twitch no longer answers about the channel. */
const losses = {
  'was taken off': (twitchId: string) =>
    db.transaction(async (tx) => {
      await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, twitchId));
    }),
  'is dead': (twitchId: string) =>
    db.transaction(async (tx) => {
      const dead = { state: 'restricted' } as const;
      await tx.update(twitchAccounts).set(dead).where(eq(twitchAccounts.twitchId, twitchId));
    }),
  'lacks a permission': (twitchId: string) =>
    db.transaction(async (tx) => {
      const scopes = ['moderator:read:chatters'];
      await tx.update(twitchAccounts).set({ scopes }).where(eq(twitchAccounts.twitchId, twitchId));
    }),
};

describe.each(Object.entries(losses))('When the broadcaster’s connection %s', (_, lose) => {
  test.each([{ followDays: FOLLOW_DAYS }, { subscriberTier: 2 }] as const)(
    'a promise under %o stays valid: the last stored facts decide about a claim days later',
    async (asked) => {
      const { transferId } = await claimed(asked, START_MS + 2 * day);
      const check = { transferId, reading: silence };
      expect(await checkClaim(db, check, START_MS + 2 * day)).toBe('unknown');
      await lose(streamer.twitchId);
      expect(await checkClaim(db, check, START_MS + 2 * day)).toBe('met');
      expect(await lease([transferId], START_MS + 2 * day)).toEqual([transferId]);
    },
  );

  test('a list without the viewer decides as well', async () => {
    const { transferId } = await claimed({ followDays: FOLLOW_DAYS }, START_MS + 2 * day);
    await listNobodyTwice(START_MS + hour);
    await lose(streamer.twitchId);
    const check = { transferId, reading: silence };
    expect(await checkClaim(db, check, START_MS + 2 * day)).toBe('unmet');
  });
});

test('While Twitch does not answer, a list without the viewer decides as well', async () => {
  const { transferId } = await claimed();
  await listNobodyTwice(START_MS + hour);
  expect(await checkClaim(db, { transferId, reading: silence }, START_MS + 2 * hour)).toBe('unmet');
});

test('A claim that could not be checked for a day is withdrawn with its waiting time added, and says why', async () => {
  const { rewardId, transferId } = await claimed({ followDays: FOLLOW_DAYS, claimTimeoutHours: 12 });
  const check = { transferId, reading: silence };
  await recordFollows(db, {
    channelId: streamer.twitchId,
    followers: [{ twitchId: viewer.twitchId, followedAtMs: START_MS - 40 * day }],
    complete: true,
    readAtMs: START_MS - day - 1,
  });
  expect(await checkClaim(db, check, START_MS)).toBe('unknown');
  expect(await checkClaim(db, check, START_MS + day - 1)).toBe('unknown');
  expect(await checkClaim(db, check, START_MS + day)).toBe('givenUp');
  expect(await transferOf(db, transferId)).toMatchObject({
    state: 'cancelled',
    lastError: 'twitchSilent',
  });
  expect(await mine(rewardId)).toMatchObject({
    state: 'promised',
    unmetCondition: null,
    claimUntilMs: START_MS + day + 12 * hour,
  });
  expect((await claim(rewardId, START_MS + day)).length).toBeGreaterThan(0);
});

test('Twitch’s silence about a claim counts from the first question, and begins again after an answer', async () => {
  const { transferId } = await claimed();
  const check = (reading: StandingReading, nowMs: number) => checkClaim(db, { transferId, reading }, nowMs);
  // Nobody could ask before, because its bot was away.
  const askedMs = START_MS + 5 * day;
  expect(await check(silence, askedMs)).toBe('unknown');
  expect(await check(longAgo, askedMs + day)).toBe('met');
  expect(await check(silence, askedMs + 2 * day)).toBe('unknown');
  expect(await check(silence, askedMs + 3 * day - 1)).toBe('unknown');
  expect(await check(silence, askedMs + 3 * day)).toBe('givenUp');
});

test('A claim that waited for the operator is not given up for the time in which nobody asked Twitch', async () => {
  const { rewardId, transferId } = await claimed();
  const check = (nowMs: number) => checkClaim(db, { transferId, reading: silence }, nowMs);
  const [{ itemId } = { itemId: '' }] = await db.read
    .select({ itemId: rewards.itemId })
    .from(rewards)
    .where(eq(rewards.id, rewardId));
  const silentMs = START_MS + 2 * day;
  expect(await check(silentMs)).toBe('unknown');
  await driftOutgoing(db, [itemId], silentMs + hour);
  const resolvedMs = silentMs + 3 * day;
  await settleDrift(db, { itemId }, resolvedMs);
  expect(await check(resolvedMs)).toBe('unknown');
  expect(await check(resolvedMs + day)).toBe('givenUp');
});

describe('Under a subscription rule', () => {
  const asked = { subscriberTier: 2 } as const;
  const tier = (given: 1 | 2 | 3 | null): StandingReading => ({ subscriber: { tier: given } });

  test('a claim waits for its check, and is sent when the tier is high enough', async () => {
    const { transferId } = await claimed(asked);
    expect(await lease()).toEqual([]);
    expect(await listClaimsToCheck(db.read, { botId }, START_MS)).toMatchObject([
      { transferId, checks: { follow: false, subscriber: true } },
    ]);
    expect(await checkClaim(db, { transferId, reading: tier(3) }, START_MS)).toBe('met');
    expect(await lease([transferId])).toEqual([transferId]);
  });

  test.each([null, 1] as const)('tier %s is not enough, and is stored', async (given) => {
    const { rewardId, transferId } = await claimed(asked);
    expect(await checkClaim(db, { transferId, reading: tier(given) }, START_MS)).toBe('unmet');
    expect(await transferOf(db, transferId)).toMatchObject({
      state: 'cancelled',
      lastError: 'subscriberUnmet',
    });
    expect(await mine(rewardId)).toMatchObject({ state: 'promised', unmetCondition: 'subscriber' });
    const again = await claim(rewardId, START_MS + hour);
    expect(await checkClaim(db, { transferId: again, reading: silence }, START_MS + hour)).toBe('unmet');
  });

  test('facts less than a day old decide while Twitch does not answer', async () => {
    const { transferId } = await claimed(asked, START_MS + hour);
    const check = { transferId, reading: silence };
    expect(await checkClaim(db, check, START_MS + day)).toBe('met');
    expect(await checkClaim(db, check, START_MS + day + 1)).toBe('unknown');
  });

  test('one condition known to be unmet decides, even if the other is unknown', async () => {
    const { rewardId, transferId } = await claimed(
      { ...asked, followDays: FOLLOW_DAYS },
      START_MS + 2 * hour,
    );
    const late = START_MS + day + hour;
    expect(await checkClaim(db, { transferId, reading: longAgo }, late)).toBe('unknown');
    expect(await checkClaim(db, { transferId, reading: tier(2) }, late)).toBe('unknown');
    expect(await checkClaim(db, { transferId, reading: tier(null) }, late)).toBe('unmet');
    expect(await mine(rewardId)).toMatchObject({ unmetCondition: 'subscriber' });
  });

  test('both conditions are checked, and both must be met', async () => {
    const { transferId } = await claimed({ ...asked, followDays: FOLLOW_DAYS });
    expect(await listClaimsToCheck(db.read, { botId }, START_MS)).toMatchObject([
      { checks: { follow: true, subscriber: true } },
    ]);
    const reading = { ...longAgo, ...tier(2) };
    expect(await checkClaim(db, { transferId, reading }, START_MS)).toBe('met');
  });
});

test('A claim under a rule on watch time alone is not rechecked', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 1, watchScope: 'allTime' });
  await db.transaction(async (tx) => {
    const facts = {
      channelId: streamer.twitchId,
      twitchId: viewer.twitchId,
      seconds: 60,
      nextCheckSeconds: 0,
    };
    await tx.insert(watchTimes).values(facts);
  });
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const [reward] = await rewardsOf(db, ruleId);
  const transferId = await claim(reward?.id ?? '');
  expect(await listClaimsToCheck(db.read, { botId }, START_MS)).toEqual([]);
  expect(await lease()).toEqual([transferId]);
});

test('A bot checks its own claims that are due, longest waiting first', async () => {
  const first = await claimed();
  const other = await addPerson(db);
  const listed = async (of = botId, nowMs = START_MS) =>
    (await listClaimsToCheck(db.read, { botId: of }, nowMs)).map(({ transferId }) => transferId);
  expect(await listed()).toEqual([first.transferId]);
  expect(await listed('another-bot')).toEqual([]);
  viewer = other;
  await listNobodyTwice(START_MS + 1);
  const second = await claimed();
  await db.transaction(async (tx) => {
    await tx
      .update(transfers)
      .set({ runAtMs: START_MS + hour })
      .where(eq(transfers.id, first.transferId));
  });
  expect(await listed()).toEqual([second.transferId]);
  expect(await listed(botId, START_MS + hour)).toEqual([second.transferId, first.transferId]);
});
