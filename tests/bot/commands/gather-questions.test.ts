import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { joinAnswers } from '#bot/commands/chat-answer.ts';
import { MAX_LINE_LENGTH } from '#bot/commands/chat-line.ts';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { gatherQuestions, MAX_WAITING } from '#bot/commands/gather-questions.ts';
import { en } from '#bot/locales/en.ts';
import { minute } from '#domain/kernel/time.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const pauseMs = 3000;

/** Gathers questions of viewers whose parts have the given length, and says when each line was said. */
function chat({ partLength = 12, fails = 0 } = {}) {
  const startMs = Date.now();
  const said: { atMs: number; text: string }[] = [];
  const blocked = { untilMs: 0 };
  let failures = fails;
  const gathered = gatherQuestions({
    log: pino({ level: 'silent' }),
    pauseMs,
    now: Date.now,
    async lineFor(messages, others) {
      failures -= 1;
      if (failures >= 0) throw new Error('no database');
      const answerTo = async ({ displayName }: ChatMessage) => ({
        alone: `@${displayName} alone`,
        part: `@${displayName} ${'x'.repeat(partLength)}`,
      });
      return joinAnswers(messages, others, answerTo, { tail: ' · END', more: en.together.more });
    },
  });
  const outlet = {
    waitMs: () => Math.max(0, blocked.untilMs - Date.now()),
    say: async ({ text }: { text: string }) => void said.push({ atMs: Date.now() - startMs, text }),
  };
  const ask = (displayName: string, channelId = '700') =>
    gathered.take(
      {
        id: displayName,
        channelId,
        channelLogin: 'demo',
        twitchId: displayName,
        login: displayName,
        displayName,
        text: '',
        sentAtMs: 0,
      },
      outlet,
    );
  return { ask, said, blocked, gathered };
}

const names = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `viewer_${n + from}`);
const namedIn = (text: string) => [...text.matchAll(/@(\w+)/g)].map(([, name]) => name);

test('Whoever asks again while they wait is answered once', async () => {
  const { ask, said } = chat();
  for (const name of ['first', 'second', 'third', 'second']) await ask(name);
  await vi.advanceTimersByTimeAsync(3 * pauseMs);
  expect(said.map(({ text }) => namedIn(text))).toEqual([['first'], ['second', 'third']]);
});

test('The first who asks is answered at once, and whoever asks within the pause together in one line', async () => {
  const { ask, said } = chat();
  await ask('first');
  await vi.advanceTimersByTimeAsync(500);
  await ask('second');
  await vi.advanceTimersByTimeAsync(500);
  await ask('third');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toEqual([
    { atMs: 0, text: '@first alone' },
    { atMs: 3000, text: '@second xxxxxxxxxxxx · @third xxxxxxxxxxxx · END' },
  ]);
  await ask('fourth');
  expect(said.at(-1)).toEqual({ atMs: 61_000, text: '@fourth alone' });
});

test('Those beyond the length of a line get the next one; nobody is left out or named twice', async () => {
  const { ask, said } = chat({ partLength: 90 });
  const people = names(12);
  for (const name of people) await ask(name);
  await vi.advanceTimersByTimeAsync(60_000);
  for (const { text } of said) expect(text.length).toBeLessThanOrEqual(MAX_LINE_LENGTH);
  expect(said.map(({ text }) => namedIn(text))).toEqual([
    ['viewer_0'],
    ['viewer_1', 'viewer_2', 'viewer_3', 'viewer_4'],
    ['viewer_5', 'viewer_6', 'viewer_7', 'viewer_8'],
    ['viewer_9', 'viewer_10', 'viewer_11'],
  ]);
  expect(said.map(({ atMs }) => atMs)).toEqual([0, 3000, 6000, 9000]);
});

test('While the account may not write, more gather for the next line, and too many are counted in it', async () => {
  const { ask, said, blocked } = chat({ partLength: 60 });
  blocked.untilMs = Date.now() + 20_000;
  for (const name of names(MAX_WAITING + 7)) await ask(name);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(said).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said.flatMap(({ text }) => namedIn(text))).toEqual(names(MAX_WAITING));
  expect(said.filter(({ text }) => text.includes('and 7 more'))).toHaveLength(1);
  expect(said.at(-1)?.text).toMatch(/ · and 7 more · END$/);
  for (const { text } of said) expect(text.length).toBeLessThanOrEqual(MAX_LINE_LENGTH);
});

test('Those who were only counted are not counted again', async () => {
  const { ask, said, blocked } = chat({ partLength: 200 });
  blocked.untilMs = Date.now() + 1000;
  for (const name of names(MAX_WAITING + 7)) await ask(name);
  await vi.advanceTimersByTimeAsync(1000);
  while (!said.at(-1)?.text.includes('and 7 more')) await vi.advanceTimersByTimeAsync(pauseMs);
  await ask('late');
  await vi.advanceTimersByTimeAsync(pauseMs);
  expect(said.at(-1)?.text).toBe('@late alone');
});

test('An answer that failed is tried again for all who wait, and given up in the end', async () => {
  const { ask, said } = chat({ fails: 2 });
  await ask('one');
  await ask('other');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(said).toEqual([{ atMs: 6000, text: '@one xxxxxxxxxxxx · @other xxxxxxxxxxxx · END' }]);
  const broken = chat({ fails: 3 });
  await broken.ask('one');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(broken.said).toEqual([]);
  await broken.ask('other');
  expect(broken.said).toHaveLength(1);
});

test('Before a stop whoever waits is answered in one line for each channel, and those who do not fit are counted', async () => {
  const { ask, said, gathered } = chat({ partLength: 90 });
  for (const name of names(9)) await ask(name);
  await ask('other', '701');
  await ask('last', '701');
  await gathered.finish();
  expect(said.map(({ atMs, text }) => [atMs, namedIn(text)])).toEqual([
    [0, ['viewer_0']],
    [0, ['other']],
    [0, ['last']],
    [0, ['viewer_1', 'viewer_2', 'viewer_3', 'viewer_4']],
  ]);
  expect(said.at(-1)?.text).toMatch(/ · and 4 more · END$/);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toHaveLength(4);
});

test('Before a stop an account that may not write is waited for until it is stopped', async () => {
  const { ask, said, blocked, gathered } = chat();
  blocked.untilMs = Date.now() + 2000;
  await ask('one');
  const finished = gathered.finish();
  await vi.advanceTimersByTimeAsync(2000);
  await finished;
  expect(said).toEqual([{ atMs: 2000, text: '@one alone' }]);
  const other = chat();
  other.blocked.untilMs = Date.now() + 2000;
  await other.ask('one');
  const unfinished = other.gathered.finish();
  other.gathered.stop();
  await vi.advanceTimersByTimeAsync(2000);
  await unfinished;
  expect(other.said).toEqual([]);
});

test('Nobody is answered after minutes in which the account could not write', async () => {
  const { ask, said, blocked } = chat();
  blocked.untilMs = Date.now() + 2 * minute;
  await ask('early');
  await vi.advanceTimersByTimeAsync(minute);
  await ask('late');
  await vi.advanceTimersByTimeAsync(2 * minute);
  expect(said.map(({ text }) => text)).toEqual(['@late alone']);
});

test('Channels do not wait for each other, and nothing is said once stopped', async () => {
  const { ask, said, gathered } = chat();
  await ask('one');
  await ask('other', '701');
  expect(said).toHaveLength(2);
  await ask('late');
  gathered.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toHaveLength(2);
});
