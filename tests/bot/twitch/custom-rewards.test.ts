import { eq } from 'drizzle-orm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { maintainCustomRewards } from '#bot/twitch/points/custom-reward-keeper.ts';
import { titlesFor } from '#bot/twitch/points/custom-reward-text.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { mails } from '#db/schema/outbox.ts';
import { customRewards } from '#db/schema/redemption.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import { channelScopes, streamerScopes, viewerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { beginCustomReward, deferCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import type { RewardFields } from '#sandbox/twitch/channel-points.ts';
import { addRule, asset, deposit } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import {
  asksPoints,
  givenAlone,
  goOn,
  isOpen,
  isPaused,
  recordOf,
  redeem,
  setPointsChannel,
  shownOn,
  statusOf,
  whenRecorded,
  whenShown,
} from './points-stage.ts';
import {
  addTwitchPerson,
  clientId,
  goLive,
  goOffline,
  link,
  type Stage,
  setChannel,
  setStage,
  until,
} from './stage.ts';

const rewardsPath = '/mock/channel_points/custom_rewards';
const anyReward = { title: 'Demo', cost: 100, skipsRequestQueue: true };
const ownReward = (stage: Stage, channelId: string, fields: Partial<RewardFields>) =>
  stage.world.channelPoints.createReward(clientId, channelId, { ...anyReward, ...fields });

async function linkOf(stage: Stage, twitchId: string) {
  const [link] = await stage.db.read
    .select()
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, twitchId));
  return link?.state;
}

describe('The custom reward of a rule', () => {
  test('links to the other conditions if the rule has any besides points', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage, { ...asksPoints, watchMinutes: 10, rewards: 1 });
    await stage.startBot();
    const { prompt } = await whenShown(stage, streamer.twitchId, isPaused);
    expect(prompt).toContain('Meet the other conditions first: localhost:3000.');
  });

  test('is paused off the air, enabled while a reward is free, and deleted with its rule', async () => {
    const stage = await setStage();
    const { streamer, viewer, ruleId } = await setChannel(stage, { ...asksPoints, rewards: 2 });
    const stranger = stage.world.addUser({ login: 'demo_stranger' });
    const channelId = streamer.twitchId;
    await stage.startBot();
    const made = await whenShown(stage, channelId, isPaused);
    expect(made).toMatchObject({
      clientId,
      title: 'A case for the crew',
      cost: 500,
      skipsRequestQueue: false,
      maxPerUserPerStream: 1,
    });
    expect(made.prompt).toMatch(/^You get: Demo case\. Sign up on /);
    await goLive(stage, channelId);
    await whenShown(stage, channelId, isOpen);
    const place = { channelId, twitchRewardId: made.id };
    redeem(stage, place, viewer);
    redeem(stage, place, { twitchId: stranger.id });
    await whenRecorded(stage, ruleId, ['open', 'refunded']);
    const other = await addTwitchPerson(stage);
    await whenShown(stage, channelId, isOpen);
    redeem(stage, place, other);
    // Both rewards are promised: none is left.
    expect((await whenShown(stage, channelId, isPaused)).prompt).toContain('No rewards are left');
    await goOffline(stage, channelId);
    await closeRule(stage.db, { ruleId, userId: streamer.userId }, stage.clock.now());
    await whenShown(stage, channelId, (reward) => !reward.isEnabled);
    expect((await rewardsOf(stage.db, ruleId)).map(({ state }) => state)).toEqual(['promised', 'promised']);
    // Refunded by hand, so no redemption is open.
    for (const { id, status } of stage.world.channelPoints.redemptionsOf(channelId))
      if (status === 'UNFULFILLED') stage.world.channelPoints.setStatus(id, 'CANCELED');
    await until(
      () => shownOn(stage, channelId),
      (all) => all.length === 0,
    );
    await until(
      () => recordOf(stage, ruleId),
      (note) => note?.state === 'deleted',
    );
    expect(stage.world.channelPoints.redemptionsOf(channelId).map(({ status }) => status)).toEqual(
      Array(3).fill('CANCELED'),
    );
  });

  test('is hidden until its id is stored, so that no unknown redemption is possible', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    const keeper = maintainCustomRewards(givenAlone(stage));
    await keeper.round(goOn());
    const [made] = shownOn(stage, streamer.twitchId);
    expect(made?.isEnabled).toBe(false);
    expect(await recordOf(stage, ruleId)).toMatchObject({ twitchRewardId: made?.id, state: 'disabled' });
    await keeper.round(goOn());
    expect(shownOn(stage, streamer.twitchId)).toMatchObject([{ isEnabled: true, isPaused: true }]);
  });

  test('with a lost creation answer is found again, not created twice', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    stage.world.faults.failNext({ answer: 'drop', afterEffect: true, path: rewardsPath, method: 'POST' });
    await stage.startBot();
    const made = await whenShown(stage, streamer.twitchId, isPaused);
    expect(await recordOf(stage, ruleId)).toMatchObject({ twitchRewardId: made.id, fault: null });
    expect(made.title).toBe('A case for the crew');
  });

  test('created by a process that died is found by the next one', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    await beginCustomReward(stage.db, { ruleId, channelId: streamer.twitchId });
    const lost = ownReward(stage, streamer.twitchId, { title: 'A case for the crew', isEnabled: false });
    await stage.startBot();
    const found = await whenShown(stage, streamer.twitchId, isPaused);
    expect(found).toMatchObject({ id: lost.id, cost: 500, skipsRequestQueue: false });
    await until(
      () => recordOf(stage, ruleId),
      (note) => note?.twitchRewardId === lost.id && note.state === 'paused',
    );
  });

  test('created for a rule that closed meanwhile is deleted', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    await beginCustomReward(stage.db, { ruleId, channelId: streamer.twitchId });
    ownReward(stage, streamer.twitchId, { title: 'A case for the crew' });
    await closeRule(stage.db, { ruleId, userId: streamer.userId }, stage.clock.now());
    await stage.startBot();
    await until(
      () => recordOf(stage, ruleId),
      (note) => note?.state === 'deleted',
    );
    expect(shownOn(stage, streamer.twitchId)).toEqual([]);
  });

  test('gets another title when its own is taken', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    const channelId = streamer.twitchId;
    stage.world.channelPoints.createReward('another-application', channelId, {
      ...anyReward,
      title: 'A case for the crew',
    });
    const second = await addRule(stage.db, streamer, { ...asksPoints, rewards: 0 });
    await stage.startBot();
    const notes = await until(
      () => Promise.all([ruleId, second].map((id) => recordOf(stage, id))),
      (all) => all.every((note) => note?.state === 'paused'),
    );
    const ours = shownOn(stage, channelId).filter((reward) => reward.clientId === clientId);
    expect(ours.map(({ id }) => id).sort()).toEqual(notes.map((note) => note?.twitchRewardId).sort());
    expect(ours.map(({ title }) => title).sort()).toEqual(
      [ruleId, second].map((id) => `A case for the crew · ${id.slice(-6)}`).sort(),
    );
  });

  test('deleted by the streamer is created again; open redemptions count as fulfilled', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage, { rewards: 2 });
    redeem(stage, channel, channel.viewer);
    await whenRecorded(stage, channel.ruleId, ['open']);
    stage.world.channelPoints.deleteReward(channel.twitchRewardId);
    await whenRecorded(stage, channel.ruleId, ['fulfilled']);
    const doubted = await until(
      () => recordOf(stage, channel.ruleId),
      (record) => record?.missedAtMs === stage.clock.now(),
    );
    expect(doubted).toMatchObject({ twitchRewardId: channel.twitchRewardId });
    stage.advance(2 * minute);
    const again = await whenShown(stage, channel.channelId, isOpen);
    expect(again.id).not.toBe(channel.twitchRewardId);
    expect((await rewardsOf(stage.db, channel.ruleId)).map(({ state }) => state).sort()).toEqual([
      'free',
      'promised',
    ]);
  });

  test('changed by the streamer is corrected', async () => {
    const stage = await setStage();
    const { channelId, twitchRewardId } = await setPointsChannel(stage);
    stage.world.channelPoints.updateReward(twitchRewardId, { cost: 1, skipsRequestQueue: true });
    await whenShown(stage, channelId, (reward) => reward.cost === 500 && !reward.skipsRequestQueue);
    stage.world.channelPoints.updateReward(twitchRewardId, { isEnabled: false });
    await whenShown(stage, channelId, isOpen);
  });

  test('lists new kinds that are added while it is enabled', async () => {
    const stage = await setStage();
    const { channelId, ruleId, streamer } = await setPointsChannel(stage);
    const nowMs = stage.clock.now();
    await deposit(stage.db, streamer, [asset('Demo knife')], nowMs - 8 * day);
    const kinds = [{ appId: 730, marketHashName: 'Demo knife', quantity: 1 }];
    const added = await attachRewards(stage.db, { ruleId, userId: streamer.userId, kinds }, nowMs);
    expect(added.ok).toBe(true);
    const { prompt } = await whenShown(stage, channelId, (reward) => reward.prompt.includes('Demo knife'));
    expect(prompt).toMatch(/^You get: Demo case \/ Demo knife\. /);
  });

  test('of a closed rule is not deleted before an unseen redemption is handled', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    await channel.bot.stop();
    const { id } = redeem(stage, channel, channel.viewer);
    await closeRule(stage.db, { ruleId: channel.ruleId, userId: channel.streamer.userId }, stage.clock.now());
    const keeper = maintainCustomRewards(givenAlone(stage));
    for (let round = 0; round < 3; round += 1) await keeper.round(goOn());
    expect(statusOf(stage, channel.channelId, id)).toBe('UNFULFILLED');
    expect(await whenRecorded(stage, channel.ruleId, ['open'])).toMatchObject([
      { settlement: 'refund', refundReason: 'ruleNotOpen' },
    ]);
    await stage.startBot();
    await until(
      () => shownOn(stage, channel.channelId),
      (all) => all.length === 0,
    );
    expect(statusOf(stage, channel.channelId, id)).toBe('CANCELED');
  });
});

describe('Refusals by Twitch', () => {
  test('a channel without affiliate status is recorded, stays linked, and is retried', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    stage.world.setBroadcasterType(streamer.twitchId, '');
    await stage.startBot();
    const faulty = await until(
      () => recordOf(stage, ruleId),
      (note) => note?.fault === 'notAffiliate',
    );
    expect((faulty?.retryAtMs ?? 0) - Date.now()).toBeGreaterThan(30 * minute);
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
    stage.world.setBroadcasterType(streamer.twitchId, 'affiliate');
    await stage.db.transaction(async (tx) => {
      await tx.update(customRewards).set({ retryAtMs: 0 }).where(eq(customRewards.ruleId, ruleId));
    });
    await whenShown(stage, streamer.twitchId, isPaused);
    await until(
      () => recordOf(stage, ruleId),
      (note) => note?.fault === null,
    );
  });

  test('a channel with the maximum number of custom rewards is recorded', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    for (let n = 0; n < 50; n += 1)
      stage.world.channelPoints.createReward('another-application', streamer.twitchId, {
        ...anyReward,
        title: `Demo ${n}`,
      });
    await stage.startBot();
    await until(
      () => recordOf(stage, ruleId),
      (note) => note?.fault === 'tooMany',
    );
    expect(shownOn(stage, streamer.twitchId)).toHaveLength(50);
  });

  test('a channel where both titles of a rule are taken is recorded', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    for (const title of titlesFor({ ruleId, ruleName: asksPoints.name }))
      stage.world.channelPoints.createReward('another-application', streamer.twitchId, {
        ...anyReward,
        title,
      });
    await stage.startBot();
    await until(
      () => recordOf(stage, ruleId),
      (note) => note?.fault === 'titleTaken',
    );
  });

  const ruleStates = async (stage: Stage) => {
    const rows = await stage.db.read
      .select({ id: rules.id, state: rules.state, reason: rules.pauseReason })
      .from(rules);
    return Object.fromEntries(rows.map(({ id, state, reason }) => [id, reason ?? state]));
  };
  const whenRefused = (stage: Stage, ruleId: string) =>
    until(
      () => recordOf(stage, ruleId),
      (note) => note?.fault === 'permissionMissing',
    );
  const mailed = (stage: Stage) => stage.db.read.$count(mails, eq(mails.template, 'twitchRestricted'));

  test('a grant without the permission pauses the rules that ask for points, and nothing else', async () => {
    const stage = await setStage();
    const { streamer, ruleId: paid } = await setChannel(stage, asksPoints);
    const plain = await addRule(stage.db, streamer, { watchMinutes: 10, rewards: 0 });
    await stage.db.transaction(async (tx) => {
      const scopes = [...channelScopes];
      await tx.update(twitchAccounts).set({ scopes }).where(eq(twitchAccounts.twitchId, streamer.twitchId));
    });
    await stage.startBot();
    await whenRefused(stage, paid);
    await until(
      () => ruleStates(stage),
      (states) => states[paid] === 'lostPermission',
    );
    expect(await ruleStates(stage)).toEqual({ [plain]: 'open', [paid]: 'lostPermission' });
    expect(await linkOf(stage, streamer.twitchId)).toBe('connected');
    expect(await mailed(stage)).toBe(0);
  });

  test('a streamer who connects again without the permission goes on with the other rules', async () => {
    const stage = await setStage();
    const { streamer, channelId, ruleId: paid } = await setPointsChannel(stage);
    const plain = await addRule(stage.db, streamer, { watchMinutes: 10, rewards: 0 });
    await stage.db.transaction((tx) =>
      tx.update(users).set({ passwordHash: 'hash' }).where(eq(users.id, streamer.userId)),
    );
    const { vault } = stage;
    const left = await unlinkTwitch(stage.db, { vault, userId: streamer.userId }, stage.clock.now());
    expect(left.ok).toBe(true);
    await link(stage, streamer, viewerScopes);
    await link(stage, streamer, channelScopes);
    await whenRefused(stage, paid);
    await givenAlone(stage).check(channelId);
    expect(await ruleStates(stage)).toEqual({ [plain]: 'open', [paid]: 'lostPermission' });
    expect(await linkOf(stage, channelId)).toBe('connected');
    expect(await mailed(stage)).toBe(0);
    await link(stage, streamer, streamerScopes);
    expect(await ruleStates(stage)).toEqual({ [plain]: 'open', [paid]: 'open' });
  });

  test('a retry that becomes due while a round looks for it is not forgotten', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    await beginCustomReward(stage.db, { ruleId, channelId: streamer.twitchId });
    const keeper = maintainCustomRewards(givenAlone(stage));
    await keeper.rest(streamer.twitchId);
    const startMs = Date.now();
    const now = vi.spyOn(Date, 'now');
    onTestFinished(() => now.mockRestore());
    for (let aheadMs = 1; aheadMs < 10; aheadMs++) {
      const retryAtMs = startMs + aheadMs;
      await deferCustomReward(stage.db, { ruleId, fault: null, retryAtMs }, stage.clock.now());
      let nowMs = startMs;
      now.mockImplementation(() => nowMs++);
      expect(await keeper.round(goOn())).not.toBeNull();
    }
  });

  test('an outage leaves no fault and no second custom reward', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asksPoints);
    // Twurple makes four attempts; the first of them took effect.
    stage.world.faults.failNext({ answer: 500, afterEffect: true, path: rewardsPath, method: 'POST' });
    stage.world.faults.failNext({ answer: 503, path: rewardsPath, method: 'POST', times: 3 });
    await stage.startBot();
    await until(
      () => stage.world.faults.pending().requests,
      (left) => left.length === 0,
    );
    await whenShown(stage, streamer.twitchId, isPaused);
    await until(
      () => recordOf(stage, ruleId),
      (note) => note?.state === 'paused' && note.fault === null,
    );
  });
});
