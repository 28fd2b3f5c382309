import { expect, test, vi } from 'vitest';
import { sharedChatShares, sharedChats } from '#bot/twitch/chat/shared-chats.ts';
import { fewestPoints } from '#bot/twitch/pace/points-left.ts';
import { sharedChatLooks } from '#domain/budget/budgets.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { givenAlone } from '#tests/bot/twitch/points-stage.ts';
import { setStage } from '#tests/bot/twitch/stage.ts';
import { holdTime, passTime, skippableTime } from '#tests/support/passing-time.ts';

/** Twitch refills the application's 800 points within a minute. */
const POINTS = 800;
const ROUND_MS = 10 * second;

/** Chats in which somebody writes a command every ten seconds, and the means to look whether they are shared. */
async function setChats(amount: number) {
  const stage = await setStage({ pointsPerSecond: POINTS / 60 });
  const { application } = givenAlone(stage).api;
  const time = skippableTime();
  const shared = sharedChats(application, sharedChatShares());
  const channelIds = Array.from({ length: amount }, (_, place) => String(700_000 + place));
  return {
    shared,
    channelIds,
    application,
    async checkAll() {
      await Promise.all(channelIds.map((channelId) => shared.look(channelId)));
      time.skip(ROUND_MS);
    },
    pointsLeft: () => fewestPoints('application', steadyMs()) ?? POINTS,
  };
}

test('Hundreds of busy chats leave most of the application’s points to everything else', async () => {
  const chats = await setChats(300);
  for (let rounds = 0; rounds < 5; rounds += 1) {
    await chats.checkAll();
    expect(chats.pointsLeft()).toBeGreaterThan(POINTS / 2);
  }
  // The same points are needed to ask which streams are live.
  expect((await chats.application.streams.getStreams({ userId: '1' })).data).toEqual([]);
});

test('A chat that nothing is known of comes before those that are looked at again', async () => {
  const chats = await setChats(90);
  for (let rounds = 0; rounds < 4; rounds += 1) await chats.checkAll();
  await chats.shared.look('999999');
  expect(chats.shared.stateOf('999999')).toBe('alone');
});

/** A chat of which Twitch tells something when `answers` is true, and the number of times it was asked. */
function setAnswers() {
  const asked = { times: 0 };
  const state = { answers: false };
  const callApi = async () => {
    asked.times += 1;
    if (!state.answers) throw new Error('Twitch is down');
    return { data: [] };
  };
  holdTime();
  const shared = sharedChats({ callApi } as never, sharedChatShares());
  return {
    shared,
    state,
    /** Looks as often as this and returns how often Twitch was asked. */
    async checkAfter(ms: number, times = 3) {
      passTime(ms);
      asked.times = 0;
      for (let looks = 0; looks < times; looks += 1) await shared.look('1');
      return asked.times;
    },
    checkTogether: async () => {
      asked.times = 0;
      await Promise.all([shared.look('2'), shared.look('2')]);
      return [asked.times, shared.stateOf('2')];
    },
    [Symbol.dispose]: () => void vi.useRealTimers(),
  };
}

test('A look that failed is repeated after a pause that grows, up to a limit, and shrinks with an answer', async () => {
  using chat = setAnswers();
  expect(await chat.checkAfter(0)).toBe(1);
  const pauses = [10, 20, 40, 80, 120, 120].map((seconds) => seconds * second);
  for (const pauseMs of pauses) {
    expect(await chat.checkAfter(pauseMs - 1)).toBe(0);
    expect(await chat.checkAfter(1)).toBe(1);
  }
  expect(chat.shared.stateOf('1')).toBe('unknown');
  chat.state.answers = true;
  expect(await chat.checkAfter(120 * second)).toBe(1);
  expect(chat.shared.stateOf('1')).toBe('alone');
  chat.state.answers = false;
  expect(await chat.checkAfter(10 * second)).toBe(1);
  expect(await chat.checkAfter(10 * second)).toBe(1);
  expect(await chat.checkAfter(10 * second)).toBe(0);
  // The last answer still counts.
  expect(chat.shared.stateOf('1')).toBe('alone');
});

test('That nobody shares a chat counts for less than a minute, that somebody does for ten', async () => {
  using chat = setAnswers();
  chat.state.answers = true;
  await chat.checkAfter(0);
  chat.shared.recordShared('2');
  passTime(45 * second);
  expect([chat.shared.stateOf('1'), chat.shared.stateOf('2')]).toEqual(['alone', 'shared']);
  passTime(1);
  expect([chat.shared.stateOf('1'), chat.shared.stateOf('2')]).toEqual(['unknown', 'shared']);
  passTime(9 * minute);
  expect(chat.shared.stateOf('2')).toBe('shared');
});

test('A line that shows that a chat is shared outweighs an older look that comes back later', async () => {
  using chat = setAnswers();
  chat.state.answers = true;
  const looking = chat.shared.look('1');
  passTime(1);
  chat.shared.recordShared('1');
  await looking;
  expect(chat.shared.stateOf('1')).toBe('shared');
  await chat.checkAfter(11 * second);
  expect(chat.shared.stateOf('1')).toBe('alone');
});

test('Two commands at once wait for one answer', async () => {
  using chat = setAnswers();
  chat.state.answers = true;
  expect(await chat.checkTogether()).toEqual([1, 'alone']);
});

test('A look that is refused takes nothing from either share', () => {
  let nowMs = 0;
  const { all, again } = sharedChatLooks;
  const shares = sharedChatShares(() => nowMs);
  const takeAll = (isKnown: boolean, times: number) =>
    Array.from({ length: times }, () => shares.take(isKnown)).filter(Boolean).length;
  // The rest remains for chats that nothing is known of.
  expect(takeAll(true, 500)).toBe(again.burst);
  expect(takeAll(false, 500)).toBe(all.burst - again.burst);
  nowMs += again.burst * again.gapMs;
  expect(takeAll(false, 500)).toBe((again.burst * again.gapMs) / all.gapMs);
  // Refused because all have used up theirs: that takes none of the share of looking again.
  expect(takeAll(true, 500)).toBe(0);
  nowMs += 2 * all.gapMs;
  expect(takeAll(true, 500)).toBe(2);
});
