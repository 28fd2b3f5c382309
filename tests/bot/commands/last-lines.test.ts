import { beforeEach, expect, test, vi } from 'vitest';
import { MAX_LINE_LENGTH } from '#bot/commands/chat-line.ts';
import { gatherLastLines } from '#bot/commands/last-lines.ts';
import type { Line } from '#bot/twitch/chat/message-queue.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  return () => vi.useRealTimers();
});

/** Chats that take a line only a second after the last one. */
function setChats(leftMs = () => 60_000) {
  const said: [atMs: number, login: string, text: string][] = [];
  const last = new Map<string, number>([['demo', 0]]);
  const outlet = {
    waitMs: (login: string) => (last.get(login) ?? -1000) + 1000 - Date.now(),
    async say({ channelLogin, text }: Line) {
      last.set(channelLogin, Date.now());
      said.push([Date.now(), channelLogin, text]);
    },
  };
  const lines = gatherLastLines(leftMs);
  const gather = (channelLogin: string, text: string) => lines.inPlaceOf(outlet).say({ channelLogin, text });
  return { said, lines, gather };
}

test('The last lines of all commands in a chat are one line, which waits for its turn there', async () => {
  const { said, lines, gather } = setChats();
  for (const text of ['a', 'b']) await gather('demo', text);
  await gather('other', 'c');
  const done = lines.say();
  await vi.advanceTimersByTimeAsync(1300);
  await done;
  expect(said).toEqual([
    [0, 'other', 'c'],
    [1300, 'demo', 'a · b'],
  ]);
});

test('A chat that takes no line in time is not waited for', async () => {
  const { said, lines, gather } = setChats(() => 1299 - Date.now());
  for (const login of ['demo', 'other']) await gather(login, 'a');
  await lines.say();
  expect(said).toEqual([[0, 'other', 'a']]);
});

test('What does not fit into a line is another one, and nothing is said once that is given up', async () => {
  const { said, lines, gather } = setChats();
  const long = 'x'.repeat(MAX_LINE_LENGTH - 4);
  for (const text of [long, 'y', 'z']) await gather('demo', text);
  const done = lines.say();
  await vi.advanceTimersByTimeAsync(1300);
  expect(said).toEqual([[1300, 'demo', `${long} · y`]]);
  lines.giveUp();
  await vi.advanceTimersByTimeAsync(1300);
  await done;
  expect(said).toHaveLength(1);
});
