import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { events, mails } from '#db/schema/outbox.ts';
import { day } from '#domain/kernel/time.ts';
import {
  type CustomRewardFacts,
  customRewardStateOf,
  desiredCustomReward,
} from '#domain/redemption/desired-custom-reward.ts';
import { hasLiveCustomRewards } from '#domain/redemption/has-live-custom-rewards.ts';
import { listCustomRewards, listWinnable } from '#domain/redemption/list-custom-rewards.ts';
import { listLiveCustomRewards, listOpenRedemptions } from '#domain/redemption/list-live-custom-rewards.ts';
import {
  beginCustomReward,
  confirmCustomReward,
  deferCustomReward,
} from '#domain/redemption/record-custom-reward.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { addPointsRule, redeem } from '#tests/support/redemptions.ts';

const SYSTEM_MS = Date.UTC(2030, 0, 1);

test.each<[CustomRewardFacts, string]>([
  [{ ruleState: 'open', live: true, freeRewards: 1, openRedemptions: 0 }, 'enabled'],
  [{ ruleState: 'open', live: true, freeRewards: 1, openRedemptions: 3 }, 'enabled'],
  [{ ruleState: 'open', live: true, freeRewards: 0, openRedemptions: 1 }, 'paused'],
  [{ ruleState: 'open', live: false, freeRewards: 1, openRedemptions: 0 }, 'paused'],
  [{ ruleState: 'paused', live: true, freeRewards: 1, openRedemptions: 0 }, 'paused'],
  [{ ruleState: 'closed', live: true, freeRewards: 0, openRedemptions: 1 }, 'disabled'],
  [{ ruleState: 'closed', live: true, freeRewards: 0, openRedemptions: 0 }, 'deleted'],
])('A custom reward under %j should be %s', (facts, desired) => {
  expect(desiredCustomReward(facts)).toBe(desired);
});

test.each([
  [{ isEnabled: true, isPaused: false }, 'enabled'],
  [{ isEnabled: true, isPaused: true }, 'paused'],
  [{ isEnabled: false, isPaused: true }, 'disabled'],
  [{ isEnabled: false, isPaused: false }, 'disabled'],
])('A custom reward that Twitch shows as %j is %s', (shown, state) => {
  expect(customRewardStateOf(shown)).toBe(state);
});

describe('The maintained custom rewards', () => {
  let db: TestDatabase;
  let streamer: Person;
  beforeEach(async () => {
    db = await openTestDatabase();
    await addBot(db);
    streamer = await addStreamer(db);
    await db.transaction(async (tx) => {
      await tx.update(channels).set({ live: true }).where(eq(channels.id, streamer.twitchId));
    });
  });
  afterEach(() => db.close());
  const list = (nowMs = START_MS, systemMs = SYSTEM_MS) => listCustomRewards(db.read, nowMs, systemMs);
  const pointsOnly = { watchMinutes: null, pointsCost: 700 };

  test('are those of rules on points, from the rule’s creation', async () => {
    await addRule(db, streamer);
    const ruleId = await addRule(db, streamer, { ...pointsOnly, name: 'Points' });
    expect(await list()).toEqual([
      {
        ruleId,
        channelId: streamer.twitchId,
        ruleName: 'Points',
        cost: 700,
        asksMore: false,
        twitchRewardId: null,
        state: null,
        fault: null,
        desired: 'enabled',
      },
    ]);
  });

  test('say whether the rule has conditions besides points', async () => {
    await addPointsRule(db, streamer);
    await addPointsRule(db, streamer, { followDays: 7 });
    expect((await list()).map(({ asksMore }) => asksMore)).toEqual([false, true]);
  });

  test('are enabled for rewards that could be promised now: not for locked or missing items', async () => {
    await addPointsRule(db, streamer);
    const change = (facts: Partial<typeof items.$inferInsert>) =>
      db.transaction(async (tx) => {
        await tx.update(items).set(facts).where(eq(items.ownerId, streamer.userId));
      });
    expect(await list()).toMatchObject([{ desired: 'enabled' }]);
    await change({ lockedUntilMs: START_MS + day });
    expect(await list()).toMatchObject([{ desired: 'paused' }]);
    expect(await list(START_MS + day)).toMatchObject([{ desired: 'enabled' }]);
    await change({ lockedUntilMs: START_MS, state: 'missing' });
    expect(await list()).toMatchObject([{ desired: 'paused' }]);
  });

  test('stay disabled after the rule was closed until no redemption is open, and are then deleted', async () => {
    const viewer = await addPerson(db);
    const ruleId = await addPointsRule(db, streamer);
    const { reported } = await redeem(db, ruleId, viewer);
    await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
    expect(await list()).toMatchObject([{ desired: 'disabled' }]);
    expect(await listOpenRedemptions(db.read, ruleId)).toEqual([reported.id]);
    await redeem(db, ruleId, viewer, { ...reported, status: 'FULFILLED' });
    expect(await listOpenRedemptions(db.read, ruleId)).toEqual([]);
    expect(await list()).toMatchObject([{ desired: 'deleted' }]);
    await confirmCustomReward(db, { ruleId, state: 'deleted' }, START_MS);
    expect([await list(), await listLiveCustomRewards(db.read)]).toEqual([[], []]);
  });

  test('are to be switched off before their broadcaster leaves, while Twitch has any', async () => {
    const has = ({ twitchId: channelId }: Person) => hasLiveCustomRewards(db.read, { channelId });
    const ruleId = await addRule(db, streamer, pointsOnly);
    await beginCustomReward(db, { ruleId, channelId: streamer.twitchId });
    expect(await has(streamer)).toBe(false);
    for (const state of ['enabled', 'paused', 'disabled'] as const) {
      await confirmCustomReward(db, { ruleId, twitchRewardId: 'reward-1', state }, START_MS);
      expect(await has(streamer), state).toBe(true);
    }
    expect(await has(await addStreamer(db))).toBe(false);
    await confirmCustomReward(db, { ruleId, state: 'deleted' }, START_MS);
    expect(await has(streamer)).toBe(false);
  });

  test('are never created for a rule that closed before', async () => {
    const ruleId = await addRule(db, streamer, pointsOnly);
    await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
    expect(await list()).toEqual([]);
  });

  test('are created once', async () => {
    const ruleId = await addRule(db, streamer, pointsOnly);
    const begin = () => beginCustomReward(db, { ruleId, channelId: streamer.twitchId });
    expect(await Promise.all([begin(), begin()])).toEqual(expect.arrayContaining([true, false]));
    expect(await listLiveCustomRewards(db.read)).toEqual([]);
  });

  test('rest as long as Twitch refuses them, and the owner is told once why', async () => {
    const ruleId = await addPointsRule(db, streamer);
    const trouble = { ruleId, fault: 'notAffiliate', retryAtMs: SYSTEM_MS + day } as const;
    const before = (await db.read.select().from(events)).length;
    await deferCustomReward(db, trouble, START_MS);
    await deferCustomReward(db, trouble, START_MS);
    const reported = (await db.read.select().from(events)).slice(before);
    expect(reported).toMatchObject([{ userId: streamer.userId, kind: 'rule.changed', subjectId: ruleId }]);
    const letters = db.read.select().from(mails).where(eq(mails.template, 'noChannelPoints'));
    expect(await letters).toMatchObject([{ values: { ruleId } }]);
    expect(await list()).toEqual([]);
    expect(await list(START_MS, SYSTEM_MS + day)).toMatchObject([{ fault: 'notAffiliate' }]);
    await confirmCustomReward(db, { ruleId, state: 'enabled' }, START_MS);
    expect(await list()).toMatchObject([{ fault: null, state: 'enabled' }]);
  });

  test('wait on channels with an invalid grant', async () => {
    await addPointsRule(db, streamer);
    expect(await listLiveCustomRewards(db.read)).toHaveLength(1);
    await db.transaction(async (tx) => {
      const restricted = { state: 'restricted' } as const;
      await tx.update(twitchAccounts).set(restricted).where(eq(twitchAccounts.twitchId, streamer.twitchId));
    });
    expect([await list(), await listLiveCustomRewards(db.read)]).toEqual([[], []]);
  });

  test('list what can be won, each kind once', async () => {
    const ruleId = await addPointsRule(db, streamer, { rewards: 3 });
    expect(await listWinnable(db.read, ruleId, 3)).toEqual(['Demo case']);
    expect(await listWinnable(db.read, 'another', 3)).toEqual([]);
  });
});
