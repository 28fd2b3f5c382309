import { expect, test } from 'vitest';
import { trackPresence } from '#bot/twitch/channel/presence.ts';
import { minute } from '#domain/kernel/time.ts';

const START_MS = 1_000_000;

const idsOf = ({ twitchIds }: { twitchIds: ReadonlyMap<string, number> }) => [...twitchIds.keys()];

test('An account listed in many live channels earns where it was first, and others earn as before', () => {
  const presence = trackPresence(2);
  const read = (channel: string, ids: string[], minutes: number) =>
    idsOf(presence.earners(channel, ids, START_MS + minutes * minute));
  expect(read('d', ['lurker', 'viewer'], 0)).toEqual(['lurker', 'viewer']);
  expect(read('c', ['lurker'], 1)).toEqual(['lurker']);
  expect(read('b', ['lurker', 'other'], 2)).toEqual(['other']);
  expect(read('a', ['lurker'], 2)).toEqual([]);
  expect(read('d', ['lurker', 'viewer'], 2)).toEqual(['lurker', 'viewer']);
  expect(read('c', ['lurker'], 2)).toEqual(['lurker']);
});

test('Who leaves a channel earns in the next one, and who comes back has just come', () => {
  const presence = trackPresence(1);
  const read = (channel: string, ids: string[], minutes: number) =>
    idsOf(presence.earners(channel, ids, START_MS + minutes * minute));
  read('a', ['viewer'], 0);
  expect(read('b', ['viewer'], 0.5)).toEqual([]);
  expect(read('a', [], 1)).toEqual([]);
  expect(read('b', ['viewer'], 1.5)).toEqual(['viewer']);
  expect(read('a', ['viewer'], 2)).toEqual([]);
});

test('A channel that went offline, or cannot be read, holds nobody', () => {
  const presence = trackPresence(1);
  presence.earners('a', ['viewer'], START_MS);
  expect(idsOf(presence.earners('b', ['viewer'], START_MS))).toEqual([]);
  expect(idsOf(presence.earners('b', ['viewer'], START_MS + 4 * minute))).toEqual(['viewer']);
  presence.earners('a', ['viewer'], START_MS + 4 * minute);
  presence.limitTo(new Set(['a']));
  expect(idsOf(presence.earners('a', ['viewer'], START_MS + 5 * minute))).toEqual(['viewer']);
});

test('At one moment every account earns in exactly as many channels as it may', () => {
  const presence = trackPresence(3);
  const channels = Array.from({ length: 10 }, (_, number) => `channel ${number}`);
  for (const channel of channels) presence.earners(channel, ['script'], START_MS);
  const earning = channels.filter(
    (channel) => presence.earners(channel, ['script'], START_MS + minute).twitchIds.size === 1,
  );
  expect(earning).toEqual(channels.slice(0, 3));
});

test('Who is listed on two pages of a channel, because they came back meanwhile, is in it once', () => {
  const presence = trackPresence(1);
  const pages = ['back', 'viewer', 'back', 'back'];
  expect(idsOf(presence.earners('a', pages, START_MS))).toEqual(['back', 'viewer']);
  expect(presence.earners('b', pages, START_MS)).toEqual({
    twitchIds: new Map(),
    elsewhereIds: ['back', 'viewer'],
  });
  expect(idsOf(presence.earners('a', [], START_MS + minute))).toEqual([]);
  expect(idsOf(presence.earners('b', pages, START_MS + minute))).toEqual(['back', 'viewer']);
});

/** Answers of the database: since when viewers are present on channels, in minutes. */
const found = (places: Record<string, Record<string, number>>, asked = Object.keys(places)) => ({
  asked: new Set(asked),
  places: new Map(
    Object.entries(places).map(([id, channels]) => [
      id,
      Object.entries(channels).map(([channelId, minutes]) => ({
        channelId,
        cameAtMs: START_MS + minutes * minute,
      })),
    ]),
  ),
});

test('Who earns in other processes’ channels earns here once they leave one, and is asked about until then', () => {
  const presence = trackPresence(2);
  const read = (minutes: number, lookedUp: ReturnType<typeof found>) =>
    idsOf(presence.earners('a', ['busy', 'viewer'], START_MS + minutes * minute, lookedUp));
  expect(presence.unsure('a', ['busy', 'viewer', 'busy'], false)).toEqual(['busy', 'viewer']);
  const all = ['busy', 'viewer'];
  expect(read(1, found({ busy: { x: 0, y: -1 } }, all))).toEqual(['viewer']);
  expect(presence.unsure('a', all, false)).toEqual(all);
  expect(read(2, found({ busy: { x: 0, y: -1 }, viewer: { a: 0 } }))).toEqual(['viewer']);
  expect(presence.unsure('a', all, false)).toEqual(['busy']);
  expect(read(3, found({ busy: { y: -1 } }))).toEqual(all);
  expect(presence.unsure('a', all, false)).toEqual(['busy']);
  expect(read(4, found({ busy: { y: -1, a: 2 } }))).toEqual(all);
  expect(presence.unsure('a', all, false)).toEqual([]);
});

test('Of two processes that let somebody in at one moment, the later one takes it back, and the other does not', () => {
  const [one, two] = [trackPresence(1), trackPresence(1)];
  const none = found({}, ['viewer']);
  expect(idsOf(one.earners('a', ['viewer'], START_MS, none))).toEqual(['viewer']);
  expect(idsOf(two.earners('b', ['viewer'], START_MS, none))).toEqual(['viewer']);
  const both = found({ viewer: { a: -1, b: -0.5 } });
  expect(idsOf(two.earners('b', ['viewer'], START_MS + minute, both))).toEqual([]);
  expect(idsOf(one.earners('a', ['viewer'], START_MS + minute, both))).toEqual(['viewer']);
});

test('Who was let in is asked about until their place is stored, however often that fails', () => {
  const [one, two] = [trackPresence(1), trackPresence(1)];
  const none = found({}, ['viewer']);
  for (const minutes of [0, 1, 2]) {
    const nowMs = START_MS + minutes * minute;
    expect(idsOf(one.earners('a', ['viewer'], nowMs, none))).toEqual(['viewer']);
    expect(idsOf(two.earners('b', ['viewer'], nowMs, none))).toEqual(['viewer']);
    expect(one.unsure('a', ['viewer'], false)).toEqual(['viewer']);
    expect(two.unsure('b', ['viewer'], false)).toEqual(['viewer']);
  }
  const both = found({ viewer: { a: -1, b: -0.5 } });
  expect(idsOf(two.earners('b', ['viewer'], START_MS + 3 * minute, both))).toEqual([]);
  expect(idsOf(one.earners('a', ['viewer'], START_MS + 3 * minute, both))).toEqual(['viewer']);
  expect(one.unsure('a', ['viewer'], false)).toEqual([]);
});

test('After a restart everybody keeps the place that is stored, whichever channel is read first', () => {
  const presence = trackPresence(1);
  const stored = found({ viewer: { b: -5 } });
  expect(idsOf(presence.earners('a', ['viewer'], START_MS, stored))).toEqual([]);
  expect(idsOf(presence.earners('b', ['viewer'], START_MS, stored))).toEqual(['viewer']);
  expect(presence.unsure('b', ['viewer'], true)).toEqual([]);
});

test('Who has a place again here because they left another channel of this process is looked up first', () => {
  const presence = trackPresence(1);
  presence.earners('a', ['viewer'], START_MS, found({}, ['viewer']));
  expect(idsOf(presence.earners('b', ['viewer'], START_MS, found({}, ['viewer'])))).toEqual([]);
  presence.earners('a', [], START_MS + minute, found({}));
  expect(presence.unsure('b', ['viewer'], false)).toEqual([]);
  expect(idsOf(presence.earners('b', ['viewer'], START_MS + minute, found({})))).toEqual([]);
  expect(presence.unsure('b', ['viewer'], false)).toEqual(['viewer']);
  expect(idsOf(presence.earners('b', ['viewer'], START_MS + 2 * minute, found({}, ['viewer'])))).toEqual([
    'viewer',
  ]);
});
