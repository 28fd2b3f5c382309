import { expect, onTestFinished, test, vi } from 'vitest';
import { watchGaps } from '#db/schema/channel.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import { channelOf, goLive, pass, setChannel, setStage, until, watched } from '#tests/bot/twitch/stage.ts';

test.each([100 * second, 10 * minute])(
  'A clock that is put back by %d ms while a stream is watched costs nobody a second, and counts none twice',
  async (backMs) => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    const { twitchId: channelId } = streamer;
    await stage.startBot();
    await goLive(stage, channelId);
    for (let minutes = 0; minutes < 3; minutes += 1) await pass(stage, channelId);
    stage.advance(-backMs);
    await until(
      () => channelOf(stage, channelId),
      (channel) => channel.watchedUntilMs === stage.clock.now(),
      5000,
    );
    for (let minutes = 0; minutes < 3; minutes += 1) await pass(stage, channelId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 360 });
    expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
  },
);

test('What was not read yet when the clock is put back still counts', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const { twitchId: channelId } = streamer;
  const bot = await stage.startBot();
  await goLive(stage, channelId);
  await pass(stage, channelId);
  const before = stage.clock.now();
  let asked = 0;
  stage.clock.now = ((now) => () => {
    asked += 1;
    return now();
  })(stage.clock.now);
  stage.advance(40 * second);
  bot.nudge();
  const askedBefore = asked;
  await until(
    () => asked,
    (times) => times > askedBefore + 20,
  );
  stage.advance(-100 * second);
  await until(
    () => channelOf(stage, channelId),
    (channel) => channel.watchedUntilMs === before - 100 * second,
    5000,
  );
  stage.advance(20 * second);
  await pass(stage, channelId, 0);
  expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 120 });
});

test('A host clock that is put back by hours delays no poll for streams', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage);
  const bot = await stage.startBot({ reconcileMs: 300, streamLagMs: 300 });
  await until(
    () => bot.report().twitch?.detail,
    (detail) => detail === 'receiving events from 1 of 1 channels',
  );
  await goLive(stage, streamer.twitchId);
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - 6 * hour);
  onTestFinished(() => clock.mockRestore());
  stage.world.faults.loseNextEvent();
  stage.world.goOffline(streamer.twitchId);
  await until(
    async () => {
      stage.elapse(minute / 2);
      return channelOf(stage, streamer.twitchId);
    },
    ({ live }) => !live,
    10_000,
  );
});
