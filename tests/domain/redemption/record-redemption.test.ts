import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { qualifications } from '#db/schema/rule.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { beginCustomReward, confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import type { TwitchRedemptionStatus } from '#domain/redemption/redemption-machine.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { addPerson, asset, deposit, draft, type Person, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { drawsOf } from '#tests/support/random-rule.ts';
import { addPointsRule, redeem, redemptionOf, redemptionsOf } from '#tests/support/redemptions.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
let viewer: Person;
beforeEach(async () => {
  viewer = await addPerson(db);
});

describe('A redemption', () => {
  test('promises its viewer a reward, and the points stay open', async () => {
    const ruleId = await addPointsRule(db, streamer);
    const { reported, rewardId, refundReason } = await redeem(db, ruleId, viewer);
    expect(refundReason).toBeNull();
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { id: rewardId, state: 'promised', twitchId: viewer.twitchId, claimUntilMs: START_MS + 72 * hour },
    ]);
    expect(await redemptionOf(db, reported.id)).toMatchObject({
      rewardId,
      state: 'open',
      settlement: null,
    });
    expect(await db.read.select().from(qualifications)).toMatchObject([{ promisedAtMs: START_MS }]);
  });

  test('is decided once, however often an event or a list reports it', async () => {
    const ruleId = await addPointsRule(db, streamer, { rewards: 2 });
    const { reported, rewardId } = await redeem(db, ruleId, viewer);
    const tellings = await Promise.all(
      Array.from({ length: 3 }, (_, n) => recordRedemption(db, reported, START_MS + n)),
    );
    expect(tellings).toEqual(Array(3).fill({ ok: true, first: false, rewardId, refundReason: null }));
    expect(await redemptionsOf(db, ruleId)).toMatchObject([{ settlement: null, state: 'open' }]);
    expect((await rewardsOf(db, ruleId)).map(({ state }) => state).sort()).toEqual(['free', 'promised']);
  });

  test('stays undecided while older ones may have to be decided first, unless it was refunded', async () => {
    const ruleId = await addPointsRule(db, streamer, { rewards: 2 });
    const { reported } = await redeem(db, ruleId, viewer);
    const report = (id: string, status: TwitchRedemptionStatus) =>
      recordRedemption(db, { ...reported, id, status }, START_MS, { decides: false });
    for (const status of ['UNFULFILLED', 'FULFILLED'] as const)
      expect(await report(`later-${status}`, status)).toEqual({ ok: false, code: 'undecided' });
    expect(await report('later-CANCELED', 'CANCELED')).toMatchObject({
      ok: true,
      first: true,
      rewardId: null,
    });
    expect(await redemptionOf(db, 'later-CANCELED')).toMatchObject({ state: 'refunded' });
    expect(await redemptionsOf(db, ruleId)).toHaveLength(2);
  });

  test('reported twice at once is decided once', async () => {
    const ruleId = await addPointsRule(db, streamer, { rewards: 2 });
    const id = 'redemption-of-two-tellers';
    const both = await Promise.all([1, 2].map(() => redeem(db, ruleId, viewer, { id })));
    expect(both.map(({ first }) => first).sort()).toEqual([false, true]);
    expect((await rewardsOf(db, ruleId)).filter(({ state }) => state === 'promised')).toHaveLength(1);
  });

  test('of an unknown custom reward is refused', async () => {
    const reported = {
      id: 'r',
      twitchRewardId: 'hydrate',
      twitchId: viewer.twitchId,
      redeemedAtMs: START_MS,
    };
    const answer = await recordRedemption(db, { ...reported, status: 'UNFULFILLED' }, START_MS);
    expect(answer).toEqual({ ok: false, code: 'rewardUnknown' });
  });

  test('is refunded when nothing can be promised for it, with the reason', async () => {
    const unverified = await addPerson(db, { verified: false });
    const ruleId = await addPointsRule(db, streamer, { rewards: 1, watchMinutes: 10 });
    const given = async (who: Pick<Person, 'twitchId'>) => {
      const { reported } = await redeem(db, ruleId, who);
      const { rewardId, state, settlement, refundReason } = await redemptionOf(db, reported.id);
      expect({ rewardId, state, settlement }).toEqual({
        rewardId: null,
        state: 'open',
        settlement: 'refund',
      });
      return refundReason;
    };
    expect(await given({ twitchId: '999000' })).toBe('notRegistered');
    expect(await given(unverified)).toBe('notRegistered');
    expect(await given(streamer)).toBe('ownRule');
    expect(await given(viewer)).toBe('conditionsUnmet');
    const watched = [[viewer.twitchId, 600] as const];
    await watchFor(db, streamer.twitchId, watched);
    expect((await redeem(db, ruleId, viewer)).rewardId).not.toBeNull();
    expect(await given(viewer)).toBe('alreadyPromised');
    const other = await addPerson(db);
    await watchFor(db, streamer.twitchId, [[other.twitchId, 600]]);
    expect(await given(other)).toBe('outOfRewards');
    const pause = { ownerId: streamer.userId, reason: 'lostPermission' } as const;
    await db.transaction((tx) => pauseRulesOf(tx, pause, START_MS));
    expect(await given(other)).toBe('ruleNotOpen');
    await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
    expect(await given(other)).toBe('ruleNotOpen');
  });

  test('by the rule’s owner, with another Twitch account than the channel’s, is refunded', async () => {
    const ruleId = await addPointsRule(db, streamer);
    await db.transaction(async (tx) => {
      const another = { twitchId: '888000' };
      await tx.update(twitchAccounts).set(another).where(eq(twitchAccounts.userId, streamer.userId));
    });
    const { refundReason } = await redeem(db, ruleId, { twitchId: '888000' });
    expect(refundReason).toBe('ownRule');
  });

  test('without a free reward does not join the waiting list: the next reward is for the next redemption', async () => {
    const other = await addPerson(db);
    const ruleId = await addPointsRule(db, streamer, { claimTimeoutHours: 1 });
    await redeem(db, ruleId, viewer);
    await redeem(db, ruleId, other);
    expect(await expirePromises(db, START_MS + 2 * hour, Date.now())).toBe(1);
    await evaluateChannel(db, streamer.twitchId, START_MS + 2 * hour);
    const states = (await rewardsOf(db, ruleId)).map(({ state }) => state);
    expect(states).toEqual(['recalled', 'free']);
    const again = await redeem(db, ruleId, other, { nowMs: START_MS + 3 * hour });
    expect(again.rewardId).not.toBeNull();
  });

  test('finds no reward whose item is locked', async () => {
    const ruleId = await addPointsRule(db, streamer);
    await db.transaction(async (tx) => {
      await tx
        .update(items)
        .set({ lockedUntilMs: START_MS + day })
        .where(eq(items.ownerId, streamer.userId));
    });
    expect((await redeem(db, ruleId, viewer)).refundReason).toBe('outOfRewards');
  });

  test('on a rule with draws is answered with a draw, if the operator allows that', async () => {
    const ruleId = newId(START_MS);
    const asked = { requestId: ruleId, userId: streamer.userId };
    const drawn = draft({ type: 'random', watchMinutes: null, pointsCost: 500 });
    expect(await createRule(db, { ...asked, draft: drawn }, START_MS)).toEqual({
      ok: false,
      code: 'paidDraw',
    });
    await createRule(db, { ...asked, draft: drawn, paidDrawsAllowed: true }, START_MS);
    await deposit(db, streamer, [asset('Demo case'), asset('Demo knife')], START_MS - 8 * day);
    const kinds = ['Demo case', 'Demo knife'].map((marketHashName) => ({
      appId: 730,
      marketHashName,
      quantity: 1,
    }));
    await attachRewards(db, { ruleId, userId: streamer.userId, kinds }, START_MS);
    await beginCustomReward(db, { ruleId, channelId: streamer.twitchId });
    const twitchRewardId = 'twitch-reward-that-draws';
    await confirmCustomReward(db, { ruleId, twitchRewardId, state: 'enabled' }, START_MS);
    const { rewardId } = await redeem(db, ruleId, viewer, { twitchRewardId });
    expect(await drawsOf(db, ruleId)).toMatchObject([{ number: 1, rewardId, twitchId: viewer.twitchId }]);
  });

  test('is in its viewer’s export, and in nobody else’s', async () => {
    const other = await addPerson(db);
    const ruleId = await addPointsRule(db, streamer);
    const { reported, rewardId } = await redeem(db, ruleId, viewer);
    const exported = async ({ userId }: Person) => exportAccount(db, { userId }, START_MS);
    expect(await exported(viewer)).toMatchObject({
      redemptions: [{ id: reported.id, state: 'open', rule: 'Demo rule', rewardId, refundReason: null }],
    });
    expect(await exported(other)).toMatchObject({ redemptions: [] });
  });

  test('for the last reward: of two at once one gets the promise, the other is refunded', async () => {
    const other = await addPerson(db);
    const ruleId = await addPointsRule(db, streamer, { rewards: 1 });
    const both = await Promise.all([viewer, other].map((who) => redeem(db, ruleId, who)));
    expect(both.filter(({ rewardId }) => rewardId !== null)).toHaveLength(1);
    expect(both.filter(({ refundReason }) => refundReason === 'outOfRewards')).toHaveLength(1);
    expect((await redemptionsOf(db, ruleId)).map(({ settlement }) => settlement).sort()).toEqual(
      ['refund', null].sort(),
    );
  });
});
