import { beforeEach, expect, test } from 'vitest';
import { action, loader } from '#app/routes/rules/announce-rule.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { chatAnnouncements } from '#db/schema/twitch.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { visitorOf } from '../support/signed-in.ts';
import { addSpeaker } from '../support/speaker.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let streamer: Person;
let visitor: Visitor;
let id: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
  id = await addRule(db, streamer, { name: 'Ten hours', watchMinutes: 600, rewards: 3 });
});

const open = (who = visitor) => who.call(loader, `/rules/${id}/announce`, { params: { id } });
const post = (who = visitor) => who.call(action, `/rules/${id}/announce`, { params: { id }, form: {} });
const lines = async () => (await db.read.select().from(chatAnnouncements)).map(({ line }) => line);

test('The line says what to do, what for and where, in the language of the chat', async () => {
  const { line, path, url } = (await open()).body;
  expect(path).toBe(`/channels/demo_channel_${streamer.twitchId}/${id}`);
  expect(line).toMatch(/^Watch 10 h: .+ or one of 2 other items\. http/);
  expect(line.endsWith(url)).toBe(true);
  const settings = { chatLocale: 'ru', announcesPromises: false } as const;
  await setChatSettings(db, { userId: streamer.userId, settings }, START_MS);
  expect((await open()).body.line).toMatch(/ или другой предмет \(ещё 2\)\. http/);
  await setChannelHidden(db, { userId: streamer.userId, hidden: true }, START_MS);
  expect((await open()).body).toMatchObject({
    path: null,
    url: null,
    line: expect.not.stringContaining('http'),
  });
});

test('The bot posts the line once, where it can write', async () => {
  expect((await open()).body).toMatchObject({ canPost: false, isOwnChat: true, announcedAtMs: null });
  await addSpeaker(db);
  const { line, canPost } = (await open()).body;
  expect(canPost).toBe(true);
  expect((await open()).body.speakers).toHaveLength(1);
  const [first, second] = [await post(), await post()];
  expect([first.toast, second.toast]).toEqual(['announce.postedToast', 'announce.postedToast']);
  expect(await lines()).toEqual([line]);
  expect((await open()).body).toMatchObject({ wasJustAnnounced: true, announcedAtMs: expect.any(Number) });
  expect((await post(await visitorOf((await addPerson(db)).userId))).status).toBe(404);
});
