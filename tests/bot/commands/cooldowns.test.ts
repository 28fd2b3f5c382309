import { expect, test } from 'vitest';
import { cooldowns } from '#bot/commands/cooldowns.ts';

const times = { perUserMs: 30_000, perChannelMs: 10_000 };

/** Asks at a time, and says whether there was an answer. */
function chat() {
  let nowMs = 0;
  const limiter = cooldowns(() => nowMs);
  return (atMs: number, twitchId: string, { command = '!rewards', channelId = 'a' } = {}) => {
    nowMs = atMs;
    return limiter.take({ command, channelId, twitchId }, times);
  };
}

test('A person is answered again only after their own time, a channel after the shorter one', () => {
  const asks = chat();
  expect(asks(0, 'one')).toBe(true);
  expect(asks(9_999, 'other')).toBe(false);
  expect(asks(10_000, 'other')).toBe(true);
  expect(asks(29_999, 'one')).toBe(false);
  expect(asks(30_000, 'one')).toBe(true);
});

test('Who got no answer does not wait any longer for it', () => {
  const asks = chat();
  asks(0, 'one');
  expect(asks(5_000, 'other')).toBe(false);
  expect(asks(10_000, 'other')).toBe(true);
});

test('Each command and each channel has times of its own', () => {
  const asks = chat();
  asks(0, 'one');
  expect(asks(0, 'one', { command: '!claim' })).toBe(true);
  expect(asks(0, 'one', { channelId: 'b' })).toBe(true);
});

test('What is forgotten after a minute is what no longer matters', () => {
  const asks = chat();
  asks(0, 'early');
  asks(59_000, 'late');
  expect(asks(60_000, 'late')).toBe(false);
  expect(asks(69_000, 'late')).toBe(false);
  expect(asks(89_000, 'late')).toBe(true);
});
