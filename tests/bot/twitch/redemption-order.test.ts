import { describe, expect, test } from 'vitest';
import { pollRedemptions } from '#bot/twitch/points/redemption-poller.ts';
import { hour, second } from '#domain/kernel/time.ts';
import type { ReportedRedemption } from '#domain/redemption/record-redemption.ts';
import type { Redemption } from '#sandbox/twitch/world-state.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { redemptionsOf } from '#tests/support/redemptions.ts';
import {
  asksPoints,
  givenAlone,
  goOn,
  recordOf,
  redeem,
  setPointsChannel,
  statusOf,
  whenRecorded,
} from './points-stage.ts';
import { addTwitchPerson, type Stage, setStage, until } from './stage.ts';

const listPath = '/mock/channel_points/custom_rewards/redemptions';

type Channel = Awaited<ReturnType<typeof setPointsChannel>>;
type Viewer = { twitchId: string };

/** A viewer redeems, shortly after the last redemption. */
function redeemNext(stage: Stage, channel: Channel, viewer: Viewer): Redemption {
  stage.advance(2 * second);
  return redeem(stage, channel, viewer);
}

/** Runs something when Twitch is first asked for a queue. */
function whenAsked(stage: Stage, act: () => void): void {
  const { faults } = stage.world;
  const take = faults.takeRequestFault.bind(faults);
  faults.takeRequestFault = (method, path) => {
    if (path.startsWith(listPath)) {
      faults.takeRequestFault = take;
      act();
    }
    return take(method, path);
  };
}

const eventOf = (
  { twitchRewardId }: Channel,
  { id, userId, redeemedAtMs }: Redemption,
  status: ReportedRedemption['status'] = 'UNFULFILLED',
): ReportedRedemption => ({ id, twitchRewardId, twitchId: userId, redeemedAtMs, status });

/** A channel with one reward and two viewers, and a separate poller that has read nothing yet. */
async function setPoller(rewards = 1) {
  const stage = await setStage();
  const channel = await setPointsChannel(stage, { rewards });
  await channel.bot.stop();
  const other = await addTwitchPerson(stage);
  const poller = pollRedemptions({
    ...givenAlone(stage),
    everyMs: hour,
    pausedEveryMs: hour,
    seen: () => {},
    receivesAllEvents: () => true,
  });
  const served = async () =>
    (await rewardsOf(stage.db, channel.ruleId)).flatMap(({ twitchId, state }) =>
      twitchId && state === 'promised' ? [twitchId] : [],
    );
  const receive = (redemption: Redemption, status?: ReportedRedemption['status']) =>
    poller.handleRedemption(channel.channelId, eventOf(channel, redemption, status));
  return { stage, channel, first: channel.viewer, other, poller, served, receive };
}

describe('Redemptions are decided in the order in which they were made', () => {
  test('one from an event waits until the queue is read, which contained an older one', async () => {
    const { stage, channel, first, other, poller, served, receive } = await setPoller();
    redeemNext(stage, channel, first);
    const live = redeemNext(stage, channel, other);
    await receive(live);
    expect(await redemptionsOf(stage.db, channel.ruleId)).toEqual([]);
    await poller.round(goOn());
    expect(await served()).toEqual([first.twitchId]);
    expect(await redemptionsOf(stage.db, channel.ruleId)).toHaveLength(2);
  });

  test('one from an event after the queue was read is decided at once, unless events may have been missed', async () => {
    const { stage, channel, first, other, poller, served, receive } = await setPoller(2);
    await poller.round(goOn());
    await receive(redeemNext(stage, channel, first));
    expect(await served()).toEqual([first.twitchId]);
    poller.mayMiss(channel.channelId);
    await receive(redeemNext(stage, channel, other));
    expect(await served()).toEqual([first.twitchId]);
    await poller.round(goOn());
    expect((await served()).sort()).toEqual([first.twitchId, other.twitchId].sort());
  });

  test('one missed while the queue was being read is found by another reading', async () => {
    const { stage, channel, first, other, poller, served, receive } = await setPoller();
    whenAsked(stage, () => poller.catchUp(channel.channelId));
    await poller.round(goOn());
    redeemNext(stage, channel, first);
    await receive(redeemNext(stage, channel, other));
    expect(await served()).toEqual([]);
    await poller.round(goOn());
    expect(await served()).toEqual([first.twitchId]);
  });

  test('a waiting one keeps waiting while Twitch does not answer', async () => {
    const { stage, channel, first, other, poller, served, receive } = await setPoller();
    stage.world.faults.failNext({ answer: 400, path: listPath, method: 'GET' });
    redeemNext(stage, channel, first);
    await receive(redeemNext(stage, channel, other));
    await poller.round(goOn());
    expect(await served()).toEqual([]);
    poller.catchUp(channel.channelId);
    await poller.round(goOn());
    expect(await served()).toEqual([first.twitchId]);
  });

  test('one settled by hand while waiting is handled in order too', async () => {
    const { stage, channel, first, other, poller, served, receive } = await setPoller();
    const saved = redeemNext(stage, channel, first);
    const back = redeemNext(stage, channel, other);
    await receive(saved);
    await receive(back);
    stage.world.channelPoints.setStatus(saved.id, 'FULFILLED');
    stage.world.channelPoints.setStatus(back.id, 'CANCELED');
    await receive(saved, 'FULFILLED');
    await receive(back, 'CANCELED');
    await poller.round(goOn());
    expect(await served()).toEqual([first.twitchId]);
    const recorded = await redemptionsOf(stage.db, channel.ruleId);
    expect(recorded.map(({ state }) => state).sort()).toEqual(['fulfilled', 'refunded']);
    // The rule's only reward is not promised for points that were already refunded.
    expect(await rewardsOf(stage.db, channel.ruleId)).toHaveLength(1);
  });

  test('one fulfilled by hand while nobody was listening is handled in order too', async () => {
    const { stage, channel, first, other, poller, served } = await setPoller();
    const saved = redeemNext(stage, channel, first);
    stage.world.channelPoints.setStatus(saved.id, 'FULFILLED');
    redeemNext(stage, channel, other);
    await poller.round(goOn());
    expect(await served()).toEqual([first.twitchId]);
    const recorded = await redemptionsOf(stage.db, channel.ruleId);
    expect(recorded.map(({ state, settlement }) => [state, settlement]).sort()).toEqual([
      ['fulfilled', null],
      ['open', 'refund'],
    ]);
  });

  test('fulfilled ones are read only as far as a known one', async () => {
    const { stage, channel, first, poller } = await setPoller(2);
    const strangers = Array.from({ length: 120 }, (_, n) =>
      stage.world.addUser({ login: `demo_stranger_${n}` }),
    );
    const saveNext = (viewer: Viewer) =>
      stage.world.channelPoints.setStatus(redeemNext(stage, channel, viewer).id, 'FULFILLED');
    for (const { id: twitchId } of strangers) saveNext({ twitchId });
    await poller.round(goOn());
    expect(await redemptionsOf(stage.db, channel.ruleId)).toHaveLength(120);
    saveNext(first);
    let asked = 0;
    const { faults } = stage.world;
    const take = faults.takeRequestFault.bind(faults);
    faults.takeRequestFault = (method, path) => {
      if (path.startsWith(listPath)) asked += 1;
      return take(method, path);
    };
    poller.catchUp(channel.channelId);
    await poller.round(goOn());
    expect(await redemptionsOf(stage.db, channel.ruleId)).toHaveLength(121);
    // One page of open ones, and one of fulfilled ones.
    expect(asked).toBe(2);
  });

  test('a reward freed by a refund meanwhile goes to a later redemption', async () => {
    const { stage, channel, first, other, poller, served, receive } = await setPoller();
    await poller.round(goOn());
    const known = redeemNext(stage, channel, first);
    await receive(known);
    stage.world.channelPoints.setStatus(known.id, 'CANCELED');
    redeemNext(stage, channel, other);
    poller.catchUp(channel.channelId);
    await poller.round(goOn());
    expect(await served()).toEqual([other.twitchId]);
  });

  test('the end of a known one is handled at once, regardless of order', async () => {
    const { stage, channel, first, poller, served, receive } = await setPoller();
    await poller.round(goOn());
    const known = redeemNext(stage, channel, first);
    await receive(known);
    poller.catchUp(channel.channelId);
    await receive(known, 'CANCELED');
    expect(await served()).toEqual([]);
    expect(await redemptionsOf(stage.db, channel.ruleId)).toMatchObject([{ state: 'refunded' }]);
  });

  test('a custom reward whose queue cannot be read does not hold up others', async () => {
    const { stage, channel, first, other, poller, served } = await setPoller();
    const second = await addRule(stage.db, channel.streamer, { ...asksPoints, name: 'Second' });
    const bot = await stage.startBot();
    const note = await until(
      () => recordOf(stage, second),
      (found) => found?.state === 'enabled',
    );
    await bot.stop();
    const twitchRewardId = note?.twitchRewardId ?? '';
    stage.world.faults.failNext({ answer: 400, path: listPath, method: 'GET' });
    await poller.round(goOn());
    const ofSecond = { ...channel, twitchRewardId };
    await poller.handleRedemption(channel.channelId, eventOf(ofSecond, redeemNext(stage, ofSecond, first)));
    expect(await redemptionsOf(stage.db, second)).toHaveLength(1);
    await poller.handleRedemption(channel.channelId, eventOf(channel, redeemNext(stage, channel, other)));
    expect(await served()).toEqual([]);
  });

  test('in a whole process, one from an event waits for Twitch’s lists during an outage', async () => {
    const stage = await setStage();
    const channel = await setPointsChannel(stage);
    await channel.bot.stop();
    const other = await addTwitchPerson(stage);
    const older = redeemNext(stage, channel, channel.viewer);
    stage.world.faults.failNext({ answer: 400, path: listPath, method: 'GET', times: 6 });
    const bot = await stage.startBot();
    await until(
      () => bot.report().twitch?.detail,
      (detail) => detail === 'receiving events from 1 of 1 channels',
    );
    const live = redeemNext(stage, channel, other);
    const recorded = await whenRecorded(stage, channel.ruleId, ['open', 'refunded']);
    expect(recorded.find(({ id }) => id === older.id)).toMatchObject({ state: 'open', settlement: null });
    expect(recorded.find(({ id }) => id === live.id)).toMatchObject({ refundReason: 'outOfRewards' });
    expect(statusOf(stage, channel.channelId, older.id)).toBe('UNFULFILLED');
  });
});
