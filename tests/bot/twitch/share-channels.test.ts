import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareChannels } from '#bot/twitch/chat/share-channels.ts';
import { MAX_IRC_CHATS } from '#domain/chat/count-chats.ts';

const channels = (amount: number, from = 0) => Array.from({ length: amount }, (_, n) => `demo_${from + n}`);
const lease = (login: string, moderates: readonly string[] = []) => ({
  login,
  isModerator: (channel: string) => moderates.includes(channel),
});
const countOf = (shared: Map<string, string>, login: string) =>
  [...shared.values()].filter((each) => each === login).length;

test('One account joins a hundred chats, the most important first', () => {
  const shared = shareChannels(channels(130), [lease('one')]);
  expect([...shared.keys()]).toEqual(channels(100));
});

test('Chats where an account is a moderator do not count', () => {
  const shared = shareChannels(channels(130), [lease('one', channels(30))]);
  expect(shared.size).toBe(130);
});

test('A second account takes the channels that the first has no room for, and channels keep their account', () => {
  const seats = [lease('one'), lease('two')];
  const before = shareChannels(channels(100), [lease('one')]);
  const after = shareChannels(channels(150), seats, before);
  expect(after.size).toBe(150);
  for (const channel of channels(100)) expect(after.get(channel)).toBe('one');
  expect(countOf(after, 'two')).toBe(50);
});

test('No account is ever in too many chats, and no room stays free while a channel waits', () => {
  const property = fc.property(
    fc.integer({ min: 0, max: 350 }),
    fc.array(fc.uniqueArray(fc.nat(349), { maxLength: 60 }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(349), fc.nat(2)), { maxLength: 200 }),
    (amount, moderated, before) => {
      const wanted = channels(amount);
      const seats = moderated.map((places, n) =>
        lease(
          `account_${n}`,
          places.map((place) => `demo_${place}`),
        ),
      );
      const shared = shareChannels(
        wanted,
        seats,
        new Map(before.map(([channel, n]) => [`demo_${channel}`, `account_${n}`])),
      );
      const used = seats.map(
        ({ login, isModerator }) =>
          wanted.filter((channel) => shared.get(channel) === login && !isModerator(channel)).length,
      );
      expect(Math.max(...used)).toBeLessThanOrEqual(MAX_IRC_CHATS);
      if (shared.size < wanted.length) expect(Math.min(...used)).toBe(MAX_IRC_CHATS);
    },
  );
  fc.assert(property, { numRuns: 200 });
});
