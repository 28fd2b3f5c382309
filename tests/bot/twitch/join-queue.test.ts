import { EventEmitter } from 'node:events';
import type tmi from 'tmi.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JoinQueue } from '#bot/twitch/chat/join-queue.ts';
import { minute } from '#domain/kernel/time.ts';

const EVERY_MS = 500;

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A chat connection whose server answers a JOIN only when the test says so. */
class Connection extends EventEmitter {
  readonly sent: string[] = [];
  join(channel: string) {
    this.sent.push(`JOIN ${channel}`);
    return Promise.resolve([channel]);
  }
  part(channel: string) {
    this.sent.push(`PART ${channel}`);
    return Promise.resolve([channel]);
  }
  admit(login: string, channelId: string) {
    this.emit('roomstate', `#${login}`, { 'room-id': channelId });
  }
}

const rooms = (...names: string[]) => names.map((name) => ({ login: name, channelId: `id of ${name}` }));

function started() {
  const connection = new Connection();
  const queue = new JoinQueue(connection as unknown as tmi.Client, EVERY_MS, () => {});
  queue.start();
  return { connection, queue };
}

test('One chat is joined at a time, and nothing is left to do once all are joined', () => {
  const { connection, queue } = started();
  queue.setChannels(rooms('a', 'b', 'c'));
  vi.advanceTimersByTime(2 * EVERY_MS);
  expect(connection.sent).toEqual(['JOIN #a', 'JOIN #b']);
  vi.advanceTimersByTime(EVERY_MS);
  for (const name of ['a', 'b', 'c']) connection.admit(name, `id of ${name}`);
  vi.advanceTimersByTime(10 * minute);
  expect(connection.sent).toEqual(['JOIN #a', 'JOIN #b', 'JOIN #c']);
  expect(vi.getTimerCount()).toBe(0);
  queue.setChannels(rooms('a', 'c', 'd'));
  vi.advanceTimersByTime(2 * EVERY_MS);
  expect(connection.sent.slice(3).sort()).toEqual(['JOIN #d', 'PART #b']);
});

test('A chat that is wanted after a while without chats is joined at once, and no timer is set to the past', () => {
  const { connection, queue } = started();
  vi.advanceTimersByTime(10 * minute);
  // No spy: Vitest restores spies once more after the file, and this one would bring the fake timers back.
  const timers = vi.fn(setTimeout);
  vi.stubGlobal('setTimeout', timers);
  queue.setChannels(rooms('a'));
  expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  vi.advanceTimersByTime(1);
  expect(connection.sent).toEqual(['JOIN #a']);
});

test('A join without an answer is repeated after a minute, and a chat that puts the bot out is joined again', () => {
  const { connection, queue } = started();
  queue.setChannels(rooms('a'));
  vi.advanceTimersByTime(minute - 1);
  expect(connection.sent).toEqual(['JOIN #a']);
  vi.advanceTimersByTime(2 * EVERY_MS);
  expect(connection.sent).toEqual(['JOIN #a', 'JOIN #a']);
  connection.admit('a', 'id of a');
  connection.emit('part', '#a', 'bot', true);
  vi.advanceTimersByTime(minute + EVERY_MS);
  expect(connection.sent).toHaveLength(3);
});

test('A chat that was left for a while is joined again when that is over, and never after the end', () => {
  const { connection, queue } = started();
  queue.setChannels(rooms('a'));
  vi.advanceTimersByTime(EVERY_MS);
  connection.admit('a', 'id of a');
  queue.shut('a', 15 * minute);
  expect(connection.sent).toEqual(['JOIN #a', 'PART #a']);
  vi.advanceTimersByTime(15 * minute - 1);
  expect(connection.sent).toHaveLength(2);
  vi.advanceTimersByTime(EVERY_MS);
  expect(connection.sent).toHaveLength(3);
  queue.stop();
  queue.setChannels(rooms('a', 'b'));
  expect(vi.getTimerCount()).toBe(0);
});
