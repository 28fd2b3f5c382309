import { afterEach, beforeEach, expect, test } from 'vitest';
import { listExcluded } from '#domain/channel/list-excluded.ts';
import { recordExcludedIds } from '#domain/channel/record-excluded-ids.ts';
import { MAX_EXCLUDED, setExcludedLogins } from '#domain/channel/set-excluded-logins.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';

let db: TestDatabase;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  streamer = await addStreamer(db);
});
afterEach(() => db.close());

const set = (logins: string[], userId = streamer.userId) => setExcludedLogins(db, { userId, logins });
const listed = (channelId = streamer.twitchId) => listExcluded(db.read, channelId);

test('The list replaces the previous one, in lower case, without duplicates, and for the own channel only', async () => {
  const other = await addStreamer(db);
  await set(['elsewhere'], other.userId);
  await set(['gone']);
  expect(await set([' Demo_Bot', '@demo_bot', 'second'])).toEqual({
    ok: true,
    logins: ['demo_bot', 'second'],
  });
  expect(await listed()).toEqual([
    { login: 'demo_bot', twitchId: null },
    { login: 'second', twitchId: null },
  ]);
  expect(await listed(other.twitchId)).toMatchObject([{ login: 'elsewhere' }]);
  await set([]);
  expect(await listed()).toEqual([]);
});

test('Invalid logins and too many are refused, and so is a user without Twitch', async () => {
  const many = Array.from({ length: MAX_EXCLUDED + 1 }, (_, place) => `demo_${place}`);
  expect(await set(['two words'])).toEqual({ ok: false, code: 'loginInvalid' });
  expect(await set([''])).toEqual({ ok: false, code: 'loginInvalid' });
  expect(await set(many)).toEqual({ ok: false, code: 'tooMany' });
  expect((await set(many.slice(1))).ok).toBe(true);
  expect(await set(['demo'], 'nobody')).toEqual({ ok: false, code: 'twitchNotLinked' });
  expect(await listed()).toHaveLength(MAX_EXCLUDED);
});

test('A login’s id is stored when first seen, while the login stays on the list', async () => {
  const other = await addPerson(db);
  await set(['one', 'two', 'three']);
  const seen = [
    { login: 'one', twitchId: '1' },
    { login: 'two', twitchId: '2' },
    { login: 'four', twitchId: '4' },
  ];
  await recordExcludedIds(db, { channelId: streamer.twitchId, seen });
  await recordExcludedIds(db, { channelId: other.twitchId, seen: [{ login: 'three', twitchId: '3' }] });
  await recordExcludedIds(db, {
    channelId: streamer.twitchId,
    seen: [{ login: 'one', twitchId: '9' }],
  });
  const known = [
    { login: 'one', twitchId: '1' },
    { login: 'three', twitchId: null },
    { login: 'two', twitchId: '2' },
  ];
  expect(await listed()).toEqual(known);
  await set(['one', 'three']);
  await set(['one', 'two', 'three']);
  expect(await listed()).toEqual([known[0], known[1], { login: 'two', twitchId: null }]);
});
