import { expect, test } from 'vitest';
import { cooldowns } from '#bot/commands/cooldowns.ts';

/** Sends commands at given times and returns whether each may be answered. */
function chat() {
  let nowMs = 0;
  const limiter = cooldowns(() => nowMs);
  return (atMs: number, twitchId: string, { command = 'rewards', channelId = 'a' } = {}) => {
    nowMs = atMs;
    return limiter.take({ command, channelId, twitchId }, 30_000);
  };
}

test('A viewer is answered again after the cooldown, and each viewer has their own', () => {
  const asks = chat();
  expect(asks(0, 'one')).toBe(true);
  expect(asks(9_999, 'other')).toBe(true);
  expect(asks(29_999, 'one')).toBe(false);
  expect(asks(30_000, 'one')).toBe(true);
});

test('A refused command does not extend the cooldown', () => {
  const asks = chat();
  asks(0, 'one');
  expect(asks(25_000, 'one')).toBe(false);
  expect(asks(30_000, 'one')).toBe(true);
});

test('Each command and each channel has its own cooldowns', () => {
  const asks = chat();
  asks(0, 'one');
  expect(asks(0, 'one', { command: 'claim' })).toBe(true);
  expect(asks(0, 'one', { channelId: 'b' })).toBe(true);
});

test('Cooldowns dropped after a minute have expired', () => {
  const asks = chat();
  asks(0, 'early');
  asks(59_000, 'late');
  expect(asks(60_000, 'late')).toBe(false);
  expect(asks(88_999, 'late')).toBe(false);
  expect(asks(89_000, 'late')).toBe(true);
});
