import { describe, expect, test } from 'vitest';
import { watchGaps } from '#db/schema/channel.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import {
  channelOf,
  goLive,
  goOffline,
  pass,
  type Stage,
  setChannel,
  setStage,
  until,
  watched,
} from '#tests/bot/twitch/stage.ts';
import { START_MS } from '#tests/support/fixtures.ts';

const always = 1_000_000;
const gapsOf = async (stage: Stage) =>
  (await stage.db.read.select().from(watchGaps)).map(({ fromMs, untilMs, reason }) => ({
    seconds: (untilMs - fromMs) / second,
    reason,
  }));
const sum = (gaps: { seconds: number }[]) => gaps.reduce((all, { seconds }) => all + seconds, 0);
const whenLive = (stage: Stage, channelId: string, live: boolean) =>
  until(
    () => channelOf(stage, channelId),
    (channel) => channel.live === live,
  );
/** A channel that was live for a minute, and whose polls come at once. */
async function setLive({ streamLagMs = 0 } = {}) {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const { twitchId: channelId } = streamer;
  const bot = await stage.startBot({ reconcileMs: 30, streamLagMs });
  await until(
    () => bot.report().twitch?.detail,
    (detail) => detail === 'receiving events from 1 of 1 channels',
  );
  const { id: streamId } = await goLive(stage, channelId);
  await pass(stage, channelId);
  return { stage, channelId, viewer, streamId };
}

describe('A stream that Twitch does not list', () => {
  test('goes on if the next look shows it, and nobody loses a second', async () => {
    const { stage, channelId, viewer } = await setLive();
    stage.world.faults.answerOddly('noStreams', always);
    await until(
      () => stage.world.faults.pending().oddAnswers,
      (left) => left <= always - 3,
    );
    expect(await channelOf(stage, channelId)).toMatchObject({ live: true });
    stage.world.faults.answerOddly('noStreams', 0);
    await pass(stage, channelId);
    expect((await watched(stage.db))[viewer.twitchId]).toBe(120);
    expect(await gapsOf(stage)).toEqual([]);
  });

  test('goes on though the clock is set forward by hours between two looks', async () => {
    const { stage, channelId } = await setLive();
    const looks = (least: number) =>
      until(
        () => stage.world.faults.pending().oddAnswers,
        (left) => left <= always - least,
      );
    stage.world.faults.answerOddly('noStreams', always);
    await looks(2);
    stage.advance(9 * hour);
    await looks(6);
    expect(await channelOf(stage, channelId)).toMatchObject({ live: true });
  });

  test('for minutes leaves a gap once it is back under its id', async () => {
    const { stage, channelId, viewer } = await setLive();
    stage.world.faults.answerOddly('noStreams', always);
    await until(
      async () => {
        stage.elapse(minute);
        return channelOf(stage, channelId);
      },
      (channel) => !channel.live,
    );
    stage.advance(7 * minute);
    stage.world.faults.answerOddly('noStreams', 0);
    await whenLive(stage, channelId, true);
    await pass(stage, channelId);
    const counted = (await watched(stage.db))[viewer.twitchId] ?? 0;
    expect(counted + sum(await gapsOf(stage))).toBe((stage.clock.now() - START_MS) / second);
    expect(await gapsOf(stage)).not.toEqual([]);
  });

  test('at all, though an event said that it began, is a gap until an event says that it ended', async () => {
    const { stage, channelId, streamId } = await setLive();
    await goOffline(stage, channelId);
    stage.world.faults.answerOddly('noStreams', always);
    const stream = stage.world.goLive(channelId, {});
    expect(stream.id).not.toBe(streamId);
    await until(
      () => channelOf(stage, channelId),
      (channel) => channel.streamId === stream.id,
    );
    stage.advance(minute);
    await until(
      async () => {
        stage.elapse(minute);
        return channelOf(stage, channelId);
      },
      (channel) => !channel.live,
    );
    stage.advance(20 * minute);
    await until(
      () => gapsOf(stage),
      (gaps) => sum(gaps.filter(({ reason }) => reason === 'twitchUnavailable')) >= 20 * 60,
    );
  });
});

test('A stream listed without a type is neither over nor begun', async () => {
  const { stage, channelId, viewer } = await setLive();
  stage.world.faults.answerOddly('streamsWithoutType', always);
  for (let minutes = 0; minutes < 5; minutes += 1) await pass(stage, channelId);
  expect((await watched(stage.db))[viewer.twitchId]).toBe(360);
  expect(await gapsOf(stage)).toEqual([]);
});

test('The end of an earlier stream, told after the next one began, changes nothing', async () => {
  const { stage, channelId, streamId, viewer } = await setLive({ streamLagMs: 180_000 });
  await goOffline(stage, channelId);
  stage.advance(minute);
  const next = await goLive(stage, channelId);
  stage.world.goOffline(channelId, { ended: streamId });
  // An event about another channel comes after it.
  const other = await setChannel(stage);
  await goLive(stage, other.streamer.twitchId);
  for (let minutes = 0; minutes < 3; minutes += 1) await pass(stage, channelId);
  expect(await channelOf(stage, channelId)).toMatchObject({ live: true, streamId: next.id });
  expect((await watched(stage.db))[viewer.twitchId]).toBe(240);
  await goOffline(stage, channelId);
});

test('A rerun is no stream, though Twitch lists it like one', async () => {
  const { stage, channelId, viewer } = await setLive();
  await goOffline(stage, channelId);
  stage.advance(minute);
  const rerun = stage.world.goLive(channelId, { type: 'rerun' });
  await until(
    () => channelOf(stage, channelId),
    (channel) => channel.repeatId === rerun.id,
  );
  stage.advance(3 * minute);
  const other = await setChannel(stage);
  await goLive(stage, other.streamer.twitchId);
  expect(await channelOf(stage, channelId)).toMatchObject({ live: false });
  expect((await watched(stage.db))[viewer.twitchId]).toBe(60);
});
