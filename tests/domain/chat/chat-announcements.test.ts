import { expect, test } from 'vitest';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { pruneAnnouncements, STALE_AFTER_MS, takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const choose = (announcesPromises: boolean, userId = streamer.userId) =>
  setChatSettings(db, { userId, settings: { chatLocale: null, announcesPromises } }, START_MS);
const nameOf = ({ twitchId }: Person) => `Demo_Person_${Number(twitchId) - 50_000}`;
const loginOf = ({ twitchId }: Person) => `demo_channel_${twitchId}`;
const take = (nowMs = START_MS, channelLogins = [loginOf(streamer)], limit = 20) =>
  takeAnnouncements(db, { channelLogins, limit }, nowMs);

/** This many viewers meet a rule with this many rewards at once. */
async function promise(viewers: number, rewards = viewers) {
  const people = await Promise.all(Array.from({ length: viewers }, () => addPerson(db)));
  await addRule(db, streamer, { name: 'Ten minutes', watchMinutes: 10, rewards });
  await watchFor(
    db,
    streamer.twitchId,
    people.map(({ twitchId }) => [twitchId, 600]),
  );
  await evaluateChannel(db, streamer.twitchId, START_MS);
  return people.map(nameOf);
}

test('Nothing is stored for a chat without announcements', async () => {
  await promise(1);
  await choose(false);
  await promise(1);
  expect(await db.read.$count(chatAnnouncements)).toBe(0);
});

test('No more are taken than go out at once; the others wait', async () => {
  await choose(true);
  await promise(1);
  await promise(1);
  expect(await take(START_MS, undefined, 1)).toHaveLength(1);
  expect(await db.read.$count(chatAnnouncements)).toBe(1);
  expect(await take()).toHaveLength(1);
});

test('Concurrent promises are one announcement, with five names and the number of others', async () => {
  await choose(true);
  const names = await promise(8, 7);
  const [announcement, ...more] = await take();
  expect(more).toEqual([]);
  expect(announcement).toMatchObject({ channelLogin: loginOf(streamer), others: 2, ruleName: 'Ten minutes' });
  expect(announcement?.names).toHaveLength(5);
  expect(names).toEqual(expect.arrayContaining(announcement?.names ?? []));
});

test('Announcements are taken once, by whichever process is in that chat', async () => {
  await choose(true);
  await promise(1);
  expect(await take(START_MS, ['somebody_else'])).toEqual([]);
  expect(await take(START_MS, [])).toEqual([]);
  // More than a statement takes values.
  const others = Array.from({ length: 70_000 }, (_, number) => `demo_other_${number}`);
  expect(await take(START_MS, others)).toEqual([]);
  expect(await take()).toHaveLength(1);
  expect(await take()).toEqual([]);
});

test('Announcements that were not sent in time are deleted', async () => {
  await choose(true);
  await promise(1);
  expect(await take(START_MS + STALE_AFTER_MS)).toEqual([]);
  expect(await db.read.$count(chatAnnouncements)).toBe(0);
});

test('A user without a channel cannot change chat settings', async () => {
  expect(await choose(true, 'nobody')).toEqual({ ok: false, code: 'twitchNotLinked' });
});

test('Where nobody reads the chat, announcements are deleted once they are stale', async () => {
  await choose(true);
  await promise(1);
  await pruneAnnouncements(db, START_MS + STALE_AFTER_MS - 1);
  expect(await db.read.$count(chatAnnouncements)).toBe(1);
  await pruneAnnouncements(db, START_MS + STALE_AFTER_MS);
  expect(await db.read.$count(chatAnnouncements)).toBe(0);
});
