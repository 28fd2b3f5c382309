import { describe, expect, test } from 'vitest';
import { follows, watchGaps } from '#db/schema/channel.ts';
import { qualifications } from '#db/schema/rule.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import {
  addTwitchPerson,
  channelOf,
  goLive,
  goOffline,
  isOver,
  pass,
  type Stage,
  setChannel,
  setStage,
  until,
  watched,
} from './stage.ts';

/** Polls only at the start, so later changes must come from events. */
const hearingOnly = { reconcileMs: 60 * minute };

const received = (bot: Awaited<ReturnType<Stage['startBot']>>) =>
  until(
    () => bot.report().twitch?.detail,
    (detail) => detail === 'receiving events from 1 of 1 channels',
  );

/** Freezes the list of live streams, as Twitch's lags for a while; `asked` counts the reads. */
function freezeStreams(stage: Stage) {
  const before = stage.world.liveStreams();
  const read = stage.world.liveStreams.bind(stage.world);
  let asked = 0;
  stage.world.liveStreams = () => {
    asked += 1;
    return before;
  };
  return {
    /** Two more polls have started, so the first has taken effect. */
    async polled(bot: { nudge(): void }) {
      const enough = asked + 2;
      await until(
        () => {
          bot.nudge();
          return asked;
        },
        (count) => count >= enough,
      );
    },
    thaw: () => {
      stage.world.liveStreams = read;
    },
  };
}

describe('A channel’s events', () => {
  test('report going live and offline at once, whatever a lagging poll says', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    const bot = await stage.startBot(hearingOnly);
    await received(bot);
    const frozen = freezeStreams(stage);
    const stream = await goLive(stage, streamer.twitchId);
    await frozen.polled(bot);
    expect(await channelOf(stage, streamer.twitchId)).toMatchObject({
      live: true,
      streamId: stream.id,
      streamStartedAtMs: stream.startedAtMs,
      watchedUntilMs: stage.clock.now(),
    });
    frozen.thaw();
    bot.nudge();
    await until(
      () => channelOf(stage, streamer.twitchId),
      (channel) => channel.gameName === 'Rust' && channel.title === 'Demo',
    );
    const frozenAgain = freezeStreams(stage);
    await goOffline(stage, streamer.twitchId);
    await frozenAgain.polled(bot);
    expect(await channelOf(stage, streamer.twitchId)).toMatchObject({ live: false });
  });

  test('are not essential: polls find what was missed', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    stage.world.faults.failNext({ answer: 403, path: '/ws', times: 1000 });
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    stage.world.goOffline(streamer.twitchId);
    await isOver(stage, streamer.twitchId);
  });

  for (const fault of ['eventSubReconnect', 'eventSubDrop', 'eventSubHalfOpen'] as const)
    test(`arrive again after ${fault}`, async () => {
      const stage = await setStage();
      const { streamer } = await setChannel(stage);
      const bot = await stage.startBot(hearingOnly);
      await received(bot);
      stage.world.faults.strike(fault);
      // Changes meanwhile are found by the poll after each reconnection.
      stage.world.goLive(streamer.twitchId);
      await until(
        () => channelOf(stage, streamer.twitchId),
        (channel) => channel.live,
      );
      await received(bot);
      stage.world.goOffline(streamer.twitchId);
      await isOver(stage, streamer.twitchId);
      stage.world.goLive(streamer.twitchId);
      await until(
        () => channelOf(stage, streamer.twitchId),
        (channel) => channel.live,
      );
    });

  test('that arrive twice have no effect the second time', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    const bot = await stage.startBot(hearingOnly);
    await received(bot);
    stage.world.faults.duplicateNextEvent(4);
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    await goOffline(stage, streamer.twitchId);
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 120 });
  });

  test('of a flapping stream lose nothing, as long as it is the same stream', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    const bot = await stage.startBot();
    await received(bot);
    const stream = await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    stage.advance(20 * second);
    await goOffline(stage, streamer.twitchId);
    // Watch time until then is read at once.
    await pass(stage, streamer.twitchId, 0);
    stage.advance(20 * second);
    expect((await goLive(stage, streamer.twitchId, { sameStream: true })).id).toBe(stream.id);
    await pass(stage, streamer.twitchId, 40 * second);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 140 });
    expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
  });
});

describe('Follows of a channel with a follow rule', () => {
  const rule = { watchMinutes: null, followDays: 7 };

  test('are read in full, and viewers who have followed long enough qualify', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage, rule);
    const recent = await addTwitchPerson(stage);
    stage.world.follow(streamer.twitchId, viewer.twitchId, stage.clock.now() - 8 * day);
    stage.world.follow(streamer.twitchId, recent.twitchId, stage.clock.now() - 6 * day);
    for (const { id } of stage.world.addChatters(streamer.twitchId, 250))
      stage.world.follow(streamer.twitchId, id, stage.clock.now() - 9 * day);
    await stage.startBot();
    const qualified = () => stage.db.read.select().from(qualifications);
    await until(qualified, (rows) => rows.length > 0);
    expect(await qualified()).toMatchObject([{ twitchId: viewer.twitchId }]);
    expect(await stage.db.read.select().from(follows)).toHaveLength(252);
    stage.advance(day);
    await until(qualified, (rows) => rows.length === 2);
  });

  test('are recorded when they begin, and deleted when they end', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage, rule);
    const other = await addTwitchPerson(stage);
    const bot = await stage.startBot(hearingOnly);
    await received(bot);
    const known = async () => (await stage.db.read.select().from(follows)).map((row) => row.twitchId);
    stage.world.faults.duplicateNextEvent();
    stage.world.follow(streamer.twitchId, viewer.twitchId);
    await until(known, (ids) => ids.length === 1);
    stage.world.follow(streamer.twitchId, other.twitchId);
    await until(known, (ids) => ids.length === 2);
    stage.world.unfollow(streamer.twitchId, viewer.twitchId);
    stage.advance(5 * 60 * minute);
    await until(
      () => {
        stage.advance(minute);
        return known();
      },
      (ids) => ids.length === 1,
    );
    expect(await known()).toEqual([other.twitchId]);
  });

  test('survive a list that breaks off in the middle', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage, rule);
    for (const { id } of stage.world.addChatters(streamer.twitchId, 150))
      stage.world.follow(streamer.twitchId, id);
    stage.world.faults.failNext({ answer: 400, path: '/mock/channels/followers' });
    await stage.startBot();
    await until(
      async () => (await stage.db.read.select().from(follows)).length,
      (count) => count === 150,
    );
  });
});
