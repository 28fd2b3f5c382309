import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { transfers } from '#db/schema/transfer.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { acceptOffer, sendQueued } from '#tests/support/fixtures.ts';
import { hurryTwurple } from '#tests/support/hurried-twurple.ts';
import { assetsIn, rewardsOf } from '#tests/support/looking.ts';
import { redemptionsOf } from '#tests/support/redemptions.ts';
import { redeem, setPointsChannel, statusOf, whenRecorded } from './points-stage.ts';
import { addTwitchPerson, type Stage, setStage, until } from './stage.ts';

beforeAll(hurryTwurple);

const redemptionsPath = '/mock/channel_points/custom_rewards/redemptions';
type Channel = Awaited<ReturnType<typeof setPointsChannel>>;

/** The viewer's reward from the rule. */
async function promisedTo(stage: Stage, { ruleId }: Channel, { twitchId }: { twitchId: string }) {
  const rows = await until(
    () => rewardsOf(stage.db, ruleId),
    (all) => all.some((reward) => reward.twitchId === twitchId),
  );
  return rows.find((reward) => reward.twitchId === twitchId)?.id ?? '';
}

/** Claims it and records the offer as sent and accepted, without Steam. */
async function deliver(stage: Stage, viewer: { userId: string }, rewardId: string): Promise<void> {
  const { db, clock } = stage;
  const claimed = await claimReward(db, { rewardId, userId: viewer.userId }, clock.now());
  if (!claimed.ok) throw new Error(claimed.code);
  await sendQueued(db, clock.now());
  const [transfer] = await db.read.select().from(transfers).where(eq(transfers.rewardId, rewardId));
  const transferId = transfer?.id ?? '';
  await acceptOffer(db, transferId, await assetsIn(db, transferId), clock.now());
}

/** A process that receives all events and polls only when it has to. */
async function listenOnly(stage: Stage): Promise<void> {
  const bot = await stage.startBot({ redemptionsMs: hour });
  await until(
    () => bot.report().twitch?.detail,
    (detail) => detail === 'receiving events from 1 of 1 channels',
  );
}

const ended = (stage: Stage, channel: Channel, id: string, status: string) =>
  until(
    () => statusOf(stage, channel.channelId, id),
    (now) => now === status,
  );

describe('A redemption', () => {
  test('gets a promise, is delivered, and only then fulfilled', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    const { id } = redeem(stage, channel, channel.viewer);
    const rewardId = await promisedTo(stage, channel, channel.viewer);
    expect(statusOf(stage, channel.channelId, id)).toBe('UNFULFILLED');
    await deliver(stage, channel.viewer, rewardId);
    await ended(stage, channel, id, 'FULFILLED');
    expect(await whenRecorded(stage, channel.ruleId, ['fulfilled'])).toMatchObject([
      { id, rewardId, settlement: null },
    ]);
  });

  test('whose promise times out is refunded', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    const { channelId, viewer } = channel;
    const before = stage.world.channelPoints.balanceOf(channelId, viewer.twitchId);
    const { id } = redeem(stage, channel, viewer);
    await promisedTo(stage, channel, viewer);
    expect(stage.world.channelPoints.balanceOf(channelId, viewer.twitchId)).toBe(before - 500);
    expect(await expirePromises(stage.db, stage.clock.now() + 100 * hour, Date.now())).toBe(1);
    await ended(stage, channel, id, 'CANCELED');
    expect(stage.world.channelPoints.balanceOf(channelId, viewer.twitchId)).toBe(before);
    await whenRecorded(stage, channel.ruleId, ['refunded']);
  });

  test('by a viewer without an account is refunded at once', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    const stranger = stage.world.addUser({ login: 'demo_stranger' });
    const { id } = redeem(stage, channel, { twitchId: stranger.id });
    await ended(stage, channel, id, 'CANCELED');
    expect(await whenRecorded(stage, channel.ruleId, ['refunded'])).toMatchObject([
      { refundReason: 'notRegistered', rewardId: null },
    ]);
  });

  test('for the last reward, of two at the same time: one gets the promise, one is refunded', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    const other = await addTwitchPerson(stage);
    for (const who of [channel.viewer, other]) redeem(stage, channel, who);
    const recorded = await whenRecorded(stage, channel.ruleId, ['open', 'refunded']);
    const lost = recorded.find(({ state }) => state === 'refunded');
    expect(lost).toMatchObject({ refundReason: 'outOfRewards' });
    expect(
      stage.world.channelPoints
        .redemptionsOf(channel.channelId)
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['CANCELED', 'UNFULFILLED']);
  });

  test('made while nobody was listening is found, and so is one settled by hand meanwhile', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage, { rewards: 2 });
    const other = await addTwitchPerson(stage);
    const first = redeem(stage, channel, channel.viewer);
    await promisedTo(stage, channel, channel.viewer);
    await channel.bot.stop();
    redeem(stage, channel, other);
    stage.world.channelPoints.setStatus(first.id, 'CANCELED');
    await stage.startBot();
    await promisedTo(stage, channel, other);
    const recorded = await whenRecorded(stage, channel.ruleId, ['open', 'refunded']);
    expect(recorded.find(({ id }) => id === first.id)).toMatchObject({
      state: 'refunded',
      refundReason: null,
    });
    expect((await rewardsOf(stage.db, channel.ruleId)).map(({ state }) => state).sort()).toEqual([
      'free',
      'promised',
      'recalled',
    ]);
  });

  test('that the streamer refunds by hand ends its promise at once', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    await channel.bot.stop();
    await listenOnly(stage);
    // Once this one is settled, the poll after subscribing to all events has ended.
    const stranger = stage.world.addUser({ login: 'demo_stranger' });
    redeem(stage, channel, { twitchId: stranger.id });
    await whenRecorded(stage, channel.ruleId, ['refunded']);
    const redemption = redeem(stage, channel, channel.viewer);
    await promisedTo(stage, channel, channel.viewer);
    stage.world.channelPoints.setStatus(redemption.id, 'CANCELED');
    await whenRecorded(stage, channel.ruleId, ['refunded', 'refunded']);
    expect(await rewardsOf(stage.db, channel.ruleId)).toMatchObject([
      { state: 'recalled', recallReason: 'pointsGivenBack' },
      { state: 'free' },
    ]);
  });
});

describe('Trouble', () => {
  test('redemptions made while the socket is down are found when it is up again', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage, { rewards: 2 });
    await channel.bot.stop();
    await listenOnly(stage);
    const other = await addTwitchPerson(stage);
    redeem(stage, channel, channel.viewer);
    await promisedTo(stage, channel, channel.viewer);
    stage.world.faults.strike('eventSubDrop');
    redeem(stage, channel, other);
    await promisedTo(stage, channel, other);
  });

  test('an event that arrives twice promises once', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage, { rewards: 2 });
    stage.world.faults.duplicateNextEvent(2);
    redeem(stage, channel, channel.viewer);
    await promisedTo(stage, channel, channel.viewer);
    await until(
      () => stage.world.faults.pending().duplicateEvents,
      (left) => left < 2,
    );
    expect(await redemptionsOf(stage.db, channel.ruleId)).toHaveLength(1);
    expect((await rewardsOf(stage.db, channel.ruleId)).map(({ state }) => state).sort()).toEqual([
      'free',
      'promised',
    ]);
  });

  test('two processes listening at once promise once and settle once', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage, { rewards: 2 });
    await stage.startBot();
    const { id } = redeem(stage, channel, channel.viewer);
    const stranger = stage.world.addUser({ login: 'demo_stranger' });
    const refused = redeem(stage, channel, { twitchId: stranger.id });
    const rewardId = await promisedTo(stage, channel, channel.viewer);
    await deliver(stage, channel.viewer, rewardId);
    await ended(stage, channel, id, 'FULFILLED');
    await ended(stage, channel, refused.id, 'CANCELED');
    await whenRecorded(stage, channel.ruleId, ['fulfilled', 'refunded']);
    expect((await rewardsOf(stage.db, channel.ruleId)).map(({ state }) => state).sort()).toEqual([
      'claimed',
      'free',
    ]);
  });

  test.each([
    ['an answer lost after the effect', { answer: 'drop', afterEffect: true }],
    ['an answer lost before the effect', { answer: 'drop', afterEffect: false }],
    ['a server error', { answer: 503, afterEffect: false }],
    ['a server error after the effect', { answer: 500, afterEffect: true }],
    ['too many requests', { answer: 429, afterEffect: false }],
  ] as const)('%s leaves one end', async (_name, fault) => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    const stranger = stage.world.addUser({ login: 'demo_stranger' });
    stage.world.faults.failNext({ ...fault, path: redemptionsPath, method: 'PATCH' });
    const before = stage.world.channelPoints.balanceOf(channel.channelId, stranger.id);
    const { id } = redeem(stage, channel, { twitchId: stranger.id });
    await whenRecorded(stage, channel.ruleId, ['refunded']);
    expect(stage.world.faults.pending().requests).toEqual([]);
    expect(statusOf(stage, channel.channelId, id)).toBe('CANCELED');
    expect(stage.world.channelPoints.balanceOf(channel.channelId, stranger.id)).toBe(before);
  });

  test('a long Twitch outage is waited out with growing pauses', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    const stranger = stage.world.addUser({ login: 'demo_stranger' });
    // Twurple makes four attempts before it gives up.
    stage.world.faults.failNext({ answer: 503, path: redemptionsPath, method: 'PATCH', times: 4 });
    const { id } = redeem(stage, channel, { twitchId: stranger.id });
    const [recorded] = await whenRecorded(stage, channel.ruleId, ['refunded']);
    expect(recorded?.attempts).toBeGreaterThan(1);
    expect(statusOf(stage, channel.channelId, id)).toBe('CANCELED');
  });

  test('a process that dies between the promise and the settlement is followed by one that settles', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    const { id } = redeem(stage, channel, channel.viewer);
    const rewardId = await promisedTo(stage, channel, channel.viewer);
    await channel.bot.stop();
    await deliver(stage, channel.viewer, rewardId);
    expect(statusOf(stage, channel.channelId, id)).toBe('UNFULFILLED');
    await stage.startBot();
    await ended(stage, channel, id, 'FULFILLED');
    await whenRecorded(stage, channel.ruleId, ['fulfilled']);
  });
});
