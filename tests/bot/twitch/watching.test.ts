import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { watchGaps as measuredGaps } from '#bot/metrics.ts';
import { is } from '#db/dialect.ts';
import { viewerGaps, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { setExcludedLogins } from '#domain/channel/set-excluded-logins.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { watchedRows } from '#tests/support/watched.ts';
import { channelOf, goLive, goOffline, isOver, pass, setChannel, setStage, until, watched } from './stage.ts';

const chatters = '/mock/chat/chatters';

/** Counts the intervals that this process measured as gaps because nobody polled. */
const countedGaps = async (): Promise<number> =>
  (await measuredGaps.get()).values.find(({ labels }) => labels.reason === 'notPolled')?.value ?? 0;

describe('Watching a live channel', () => {
  test('credits a whole stream exactly, and meeting the rule promises the reward', async () => {
    const stage = await setStage();
    const { streamer, viewer, ruleId } = await setChannel(stage);
    const [lurker, late, script, ours] = [
      'demo_lurker',
      'demo_late',
      'commanderroot',
      'keepsake_demo_bot',
    ].map((login) => stage.world.addUser({ login }));
    stage.world.joinChat(streamer.twitchId, [lurker!.id, script!.id, ours!.id]);
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    for (let passed = 0; passed < 5; passed += 1) await pass(stage, streamer.twitchId);
    stage.world.joinChat(streamer.twitchId, [late!.id]);
    for (let passed = 0; passed < 5; passed += 1) {
      expect(await stage.db.read.select().from(rewards).where(is(rewards.state, 'promised'))).toEqual([]);
      await pass(stage, streamer.twitchId, passed === 4 ? minute : 61 * second);
    }
    expect(await watched(stage.db)).toEqual({
      [viewer.twitchId]: 604,
      [lurker!.id]: 604,
      [late!.id]: 304,
    });
    const [promised] = await stage.db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
    expect(promised).toMatchObject({
      state: 'promised',
      twitchId: viewer.twitchId,
      promisedAtMs: stage.clock.now(),
    });
    await goOffline(stage, streamer.twitchId);
    stage.advance(10 * minute);
    await goLive(stage, streamer.twitchId);
    expect(await watched(stage.db)).toMatchObject({ [viewer.twitchId]: 604 });
    expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
  });

  test('an excluded viewer stays excluded after a rename, and the old name is free for others', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    const lurker = stage.world.addUser({ login: 'demo_lurker' });
    stage.world.joinChat(streamer.twitchId, [lurker.id]);
    await setExcludedLogins(stage.db, { userId: streamer.userId, logins: ['Demo_Lurker'] });
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    stage.world.rename(lurker.id, 'demo_renamed');
    const heir = stage.world.addUser({ login: 'demo_lurker' });
    stage.world.joinChat(streamer.twitchId, [heir.id]);
    await pass(stage, streamer.twitchId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 120, [heir.id]: 60 });
  });

  test('continues while its only rule is paused, so that nothing is missing when it resumes', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    const place = { channelId: streamer.twitchId, reason: 'operator' as const };
    await stage.db.transaction((tx) => pauseRulesOf(tx, place, stage.clock.now()));
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    for (let passed = 0; passed < 3; passed += 1) await pass(stage, streamer.twitchId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 180 });
    expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
  });

  test('two processes watching at once count each minute once', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    await Promise.all([stage.startBot(), stage.startBot()]);
    await goLive(stage, streamer.twitchId);
    for (let passed = 1; passed <= 4; passed += 1) {
      await pass(stage, streamer.twitchId);
      expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: passed * 60 });
    }
  });

  test('a crowd is read page by page, and everyone in it is credited', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    stage.world.addChatters(streamer.twitchId, 2100);
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    const seconds = Object.values(await watched(stage.db));
    expect(seconds).toHaveLength(2101);
    expect(new Set(seconds)).toEqual(new Set([60]));
  });

  test('a failed reading is made up for within the minute', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    stage.world.faults.failNext({ answer: 'drop', path: chatters, times: 2 });
    await pass(stage, streamer.twitchId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 60 });
    expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
  });

  test('an outage is a gap with a reason, and its time is not credited', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    const fromMs = stage.clock.now();
    // Twurple makes four attempts before it gives up.
    stage.world.faults.failNext({ answer: 503, path: chatters, times: 4 });
    stage.advance(minute);
    await until(
      () => stage.world.faults.pending().requests.length,
      (left) => left === 0,
    );
    await pass(stage, streamer.twitchId, 50 * second);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 60 });
    expect(await stage.db.read.select().from(watchGaps)).toEqual([
      { channelId: streamer.twitchId, fromMs, untilMs: stage.clock.now(), reason: 'twitchUnavailable' },
    ]);
    await pass(stage, streamer.twitchId);
    expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 120 });
  });

  test('a leap of the clock is a gap too', async () => {
    const before = await countedGaps();
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId, 3 * minute);
    expect(await watched(stage.db)).toEqual({});
    expect(await stage.db.read.select().from(watchGaps)).toMatchObject([{ reason: 'notPolled' }]);
    await until(countedGaps, (counted) => counted === before + 1);
  });

  test('a channel whose last rule was closed is no longer watched, but its stream’s end is recorded', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage);
    const bot = await stage.startBot();
    await goLive(stage, streamer.twitchId);
    await pass(stage, streamer.twitchId);
    const before = await watched(stage.db);
    await closeRule(stage.db, { ruleId, userId: streamer.userId }, stage.clock.now());
    await until(
      () => bot.report().twitch?.detail,
      (detail) => detail === 'receiving events from 0 of 0 channels',
    );
    stage.advance(minute);
    stage.world.goOffline(streamer.twitchId);
    // No event tells of it, so two polls minutes apart have to miss it.
    await isOver(stage, streamer.twitchId);
    expect(await watched(stage.db)).toEqual(before);
  });
});

test('A lost end of a stream leaves a gap once the next stream begins', async () => {
  const before = await countedGaps();
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const { twitchId: channelId } = streamer;
  const bot = await stage.startBot({ reconcileMs: 10 * minute });
  await until(
    () => bot.report().twitch?.detail,
    (detail) => detail === 'receiving events from 1 of 1 channels',
  );
  await goLive(stage, channelId);
  await pass(stage, channelId);
  stage.advance(20 * second);
  stage.world.faults.loseNextEvent();
  stage.world.goOffline(channelId);
  stage.advance(10 * second);
  await goLive(stage, channelId);
  await pass(stage, channelId);
  const [gap, ...others] = await stage.db.read.select().from(watchGaps);
  expect([(gap?.untilMs ?? 0) - (gap?.fromMs ?? 0), gap?.reason, others]).toEqual([
    30 * second,
    'notPolled',
    [],
  ]);
  expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 120 });
  await until(countedGaps, (counted) => counted === before + 1);
});

test('A cursor that the host’s clock left ahead is put right at once', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const { twitchId: channelId } = streamer;
  await stage.startBot();
  await goLive(stage, channelId);
  await pass(stage, channelId);
  await pass(stage, channelId, 6 * 60 * minute);
  stage.advance(-6 * 60 * minute + minute);
  await until(
    () => channelOf(stage, channelId),
    (channel) => (channel.watchedUntilMs ?? 0) <= stage.clock.now(),
  );
  await pass(stage, channelId);
  expect(await watched(stage.db)).toEqual({ [viewer.twitchId]: 120 });
});

test('An account that is listed in ten live channels earns in three of them', async () => {
  const stage = await setStage();
  const script = stage.world.addUser({ login: 'demo_script' });
  const channelIds: string[] = [];
  for (let number = 0; number < 10; number += 1) {
    const { streamer } = await setChannel(stage);
    stage.world.joinChat(streamer.twitchId, [script.id]);
    channelIds.push(streamer.twitchId);
  }
  await stage.startBot();
  for (const channelId of channelIds) await goLive(stage, channelId);
  for (let minutes = 0; minutes < 2; minutes += 1) {
    stage.advance(minute);
    for (const channelId of channelIds) await pass(stage, channelId, 0);
  }
  const rows = await watchedRows(stage.db.read, eq(watchTimes.twitchId, script.id));
  // The first reading cannot know of the channels that are read after it.
  expect(rows.filter(({ seconds }) => seconds === 120)).toHaveLength(3);
  expect(rows.filter(({ seconds }) => seconds > 60)).toHaveLength(3);
});

test('Who is registered and listed in four live channels has a gap of their own where the fourth minute is lost', async () => {
  const stage = await setStage();
  const { streamer, viewer } = await setChannel(stage);
  const others = [await setChannel(stage), await setChannel(stage), await setChannel(stage)];
  const channelIds = [...others.map((other) => other.streamer.twitchId), streamer.twitchId];
  for (const channelId of channelIds) stage.world.joinChat(channelId, [viewer.twitchId]);
  await stage.startBot();
  for (const channelId of channelIds) {
    await goLive(stage, channelId);
    await pass(stage, channelId);
  }
  const fromMs = stage.clock.now();
  for (const channelId of channelIds) await pass(stage, channelId, 0);
  await pass(stage, streamer.twitchId);
  const gaps = await stage.db.read.select().from(viewerGaps);
  expect(gaps).toContainEqual({
    channelId: streamer.twitchId,
    twitchId: viewer.twitchId,
    fromMs: fromMs - minute,
    untilMs: stage.clock.now(),
    reason: 'watchedElsewhere',
  });
  const { rows } = await listProgress(stage.db, { userId: viewer.userId }, stage.clock.now());
  expect(rows.find(({ channel }) => channel.id === streamer.twitchId)?.gaps).toMatchObject([
    { untilMs: stage.clock.now(), reason: 'watchedElsewhere' },
  ]);
});
