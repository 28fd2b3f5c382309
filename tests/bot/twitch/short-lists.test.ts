import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { follows, subscribers, watchGaps } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { addFollowers } from '#sandbox/twitch/crowds.ts';
import type { OddAnswerName } from '#sandbox/twitch/odd-answers.ts';
import {
  addTwitchPerson,
  channelOf,
  goLive,
  pass,
  type Stage,
  setChannel,
  setStage,
  until,
  watched,
} from '#tests/bot/twitch/stage.ts';

const always = 1_000_000;
const isPromised = (stage: Stage, ruleId: string) =>
  until(
    async () => (await stage.db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId)))[0],
    (reward) => reward?.state === 'promised',
  );
/** Waits until Twitch has answered oddly often enough. */
const isTaken = (stage: Stage) =>
  until(
    () => stage.world.faults.pending().oddAnswers,
    (left) => left === 0,
  );

describe('A list of chatters that is shorter than its number', () => {
  test.each(['shortChatters', 'emptyPageOfChatters'] as const)(
    'takes the minute from nobody: %s',
    async (odd) => {
      const stage = await setStage();
      const { streamer, viewer } = await setChannel(stage);
      const { twitchId: channelId } = streamer;
      const crowd = stage.world.addChatters(channelId, 30);
      await stage.startBot();
      await goLive(stage, channelId);
      await pass(stage, channelId);
      stage.world.faults.answerOddly(odd, odd === 'shortChatters' ? 2 : 10);
      stage.advance(minute);
      await isTaken(stage);
      await pass(stage, channelId, 15_000);
      const seconds = await watched(stage.db);
      expect([viewer.twitchId, crowd.at(-1)?.id ?? ''].map((id) => seconds[id])).toEqual([135, 135]);
      expect(await stage.db.read.select().from(watchGaps)).toEqual([]);
    },
  );

  test('leaves a gap with a reason if it lasts', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage);
    const { twitchId: channelId } = streamer;
    stage.world.addChatters(channelId, 30);
    await stage.startBot();
    await goLive(stage, channelId);
    await pass(stage, channelId);
    stage.world.faults.answerOddly('shortChatters', 3);
    stage.advance(10 * minute);
    await isTaken(stage);
    const [gap] = await until(
      () => stage.db.read.select().from(watchGaps),
      (gaps) => gaps.length > 0,
    );
    expect(gap).toMatchObject({ reason: 'twitchUnavailable' });
    expect((gap?.untilMs ?? 0) - (gap?.fromMs ?? 0)).toBe(10 * minute);
    expect((await watched(stage.db))[viewer.twitchId]).toBe(60);
  });
});

const lists = [
  {
    name: 'followers',
    rule: { watchMinutes: null, followDays: 7 },
    short: 'shortFollowers',
    empty: 'emptyPageOfFollowers',
    add: (stage: Stage, channelId: string) => addFollowers(stage.world, channelId, 251),
    known: async (stage: Stage) => (await stage.db.read.select().from(follows)).length,
    readAtMs: async (stage: Stage, channelId: string) => (await channelOf(stage, channelId)).followsReadAtMs,
  },
  {
    name: 'subscribers',
    rule: { watchMinutes: null, subscriberTier: 1 },
    short: 'shortSubscribers',
    empty: 'emptyPageOfSubscribers',
    add: (stage: Stage, channelId: string) => {
      for (const { id } of stage.world.addChatters(channelId, 251)) stage.world.subscribe(channelId, id);
    },
    known: async (stage: Stage) => (await stage.db.read.select().from(subscribers)).length,
    readAtMs: async (stage: Stage, channelId: string) =>
      (await channelOf(stage, channelId)).subscribersReadAtMs,
  },
] as const satisfies readonly { short: OddAnswerName; empty: OddAnswerName; [key: string]: unknown }[];

describe.each(lists)('A list of $name', ({ rule, short, empty, add, known, readAtMs }) => {
  test.each(['short', 'empty'] as const)('that is %s ends nothing, and is read again soon', async (kind) => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage, rule);
    const { twitchId: channelId } = streamer;
    add(stage, channelId);
    await stage.startBot();
    await until(
      () => known(stage),
      (count) => count === 251,
    );
    const firstMs = await until(
      () => readAtMs(stage, channelId),
      (ms) => ms !== null,
    );
    // Each reading fails until Twitch lists all of them again.
    stage.world.faults.answerOddly(kind === 'short' ? short : empty, kind === 'short' ? 3 : 12);
    stage.advance(4 * hour);
    await isTaken(stage);
    await until(
      () => readAtMs(stage, channelId),
      (ms) => ms !== firstMs,
    );
    expect(await known(stage)).toBe(251);
  });
});

test('A list of followers whose number counts suspended accounts counts as read in the end', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage, { watchMinutes: null, followDays: 7 });
  const { twitchId: channelId } = streamer;
  stage.world.faults.answerOddly('suspendedFollowers', always);
  await stage.startBot();
  await until(
    async () => {
      stage.elapse(minute);
      return channelOf(stage, channelId);
    },
    (channel) => channel.followsReadAtMs !== null,
  );
  expect(await channelOf(stage, channelId)).toMatchObject({ followsListed: 0 });
});

test('A follower whom a list leaves out is asked about, also on a channel with few followers', async () => {
  const stage = await setStage();
  const { streamer, viewer, ruleId } = await setChannel(stage, { watchMinutes: null, followDays: 7 });
  const { twitchId: channelId } = streamer;
  stage.world.follow(channelId, viewer.twitchId, stage.clock.now() - 30 * day);
  stage.world.faults.answerOddly('unlistedFollowers', 1);
  await stage.startBot();
  await isPromised(stage, ruleId);
});

test('A subscriber whom the list leaves out stays one, and another one is asked about', async () => {
  const stage = await setStage();
  const rule = { watchMinutes: null, subscriberTier: 1, rewards: 2 } as const;
  const { streamer, viewer } = await setChannel(stage, rule);
  const { twitchId: channelId } = streamer;
  const other = await addTwitchPerson(stage);
  stage.world.subscribe(channelId, other.twitchId, '1000', true);
  await stage.startBot();
  const known = async () =>
    (await stage.db.read.select().from(subscribers)).map(({ twitchId }) => twitchId).sort();
  await until(known, (ids) => ids.length === 1);
  stage.world.faults.answerOddly('unlistedSubscribers', 1);
  stage.advance(4 * hour);
  await isTaken(stage);
  expect(await known()).toEqual([other.twitchId]);
  // Nothing reports this one: the event is lost, and the list does not have them.
  stage.world.faults.loseNextEvent(2);
  stage.world.subscribe(channelId, viewer.twitchId, '1000', true);
  stage.advance(10 * minute);
  await until(known, (ids) => ids.length === 2);
});
