import { expect, test } from 'vitest';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { putBackAnnouncement } from '#domain/chat/put-back-announcement.ts';
import { pruneAnnouncements, STALE_AFTER_MS, takeAnnouncements } from '#domain/chat/take-announcements.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { announceElsewhere } from '#domain/raffle/announce-elsewhere.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { closeRaffle } from '#domain/raffle/close-raffle.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { addRaffle, enter } from '#tests/support/raffles.ts';
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

/** A raffle that runs, of which its start, an entry and a line in another chat are announced but not taken by the chat. */
async function startRefused() {
  const raffleId = await addRaffle(db, streamer);
  const { twitchId: channelId } = streamer;
  const [first, second] = [await addPerson(db), await addPerson(db)];
  const enterAt = (nowMs: number, { twitchId }: Person) =>
    enter(db, raffleId, { channelId, twitchIds: [twitchId], nowMs });
  await enterAt(START_MS + minute / 2, first);
  const keyword = 'redline';
  await announceElsewhere(
    db,
    { raffleId, channelId, keyword, keywordKey: keyword, moderatorsMayEnter: true },
    { nowMs: START_MS + minute / 2, systemMs: START_MS },
  );
  const taken = await take(START_MS + minute / 2);
  return {
    raffleId,
    taken,
    enterLater: () => enterAt(START_MS + minute, second),
    async putBack() {
      for (const announcement of taken) await putBackAnnouncement(db, announcement);
    },
  };
}
const kindsAt = async (nowMs: number) => (await take(nowMs)).map(({ raffle }) => raffle?.kind);

test('News of a raffle that runs is taken again after it was put back', async () => {
  const { putBack } = await startRefused();
  await putBack();
  expect(await kindsAt(START_MS + minute)).toEqual(['started', 'entered', 'elsewhere']);
});

test('The start of a raffle, its entries and its chat are not told once it was cancelled, nor kept', async () => {
  const { raffleId, putBack } = await startRefused();
  await putBack();
  await cancelRaffle(db, { raffleId }, START_MS + minute);
  expect(await kindsAt(START_MS + minute)).toEqual([]);
  expect(await db.read.$count(chatAnnouncements)).toBe(0);
});

test('Nobody is asked to enter a raffle that has ended, also before its list is closed', async () => {
  const { raffleId, putBack } = await startRefused();
  await putBack();
  await closeRaffle(db, { raffleId }, START_MS + minute);
  expect(await kindsAt(START_MS + minute)).toEqual(['entered']);
});

test('Only the newest list of entries is told', async () => {
  const { taken, putBack, enterLater } = await startRefused();
  await enterLater();
  const listsAt = async (nowMs: number) =>
    (await take(nowMs)).flatMap(({ raffle }) => (raffle?.kind === 'entered' ? raffle.entries : []));
  await putBack();
  expect(await listsAt(START_MS + minute)).toEqual([2]);
  // Somebody else has taken the newer one.
  for (const announcement of taken) await putBackAnnouncement(db, announcement);
  expect(await listsAt(START_MS + minute + second)).toEqual([]);
});
