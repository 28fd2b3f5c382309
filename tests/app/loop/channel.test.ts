import { and, eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { loader as channelLoader, action as excludedAction } from '#app/routes/channel/channel.tsx';
import { action as chatAction } from '#app/routes/channel/chat.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { events } from '#db/schema/outbox.ts';
import { recordChatFault } from '#domain/channel/record-chat-fault.ts';
import { MAX_EXCLUDED } from '#domain/channel/set-excluded-logins.ts';
import { minute } from '#domain/kernel/time.ts';
import { addStreamer } from '#tests/support/fixtures.ts';
import { member } from '../support/member.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let visitor: Visitor;
let channelId: string;
beforeEach(async () => {
  db = await database();
  const streamer = await addStreamer(db);
  channelId = streamer.twitchId;
  visitor = await visitorOf(streamer.userId);
});

const settingsOf = async (who = visitor) => (await who.call(channelLoader, '/channel')).body.channel;
const saveChat = (form: Record<string, string>, who = visitor) =>
  who.call(chatAction, '/channel/chat', { form });
const exclude = (logins: string, who = visitor) => who.call(excludedAction, '/channel', { form: { logins } });

test('A broadcaster configures the bot’s behaviour in chat', async () => {
  expect(await settingsOf()).toMatchObject({ chatLocale: null, announcesPromises: false, excluded: [] });
  expect(await saveChat({ locale: 'ru', announces: 'on' })).toMatchObject({
    location: '/channel',
    toast: 'channel.saved',
  });
  expect(await settingsOf()).toMatchObject({ chatLocale: 'ru', announcesPromises: true });
  await saveChat({ locale: 'own' });
  expect(await settingsOf()).toMatchObject({ chatLocale: null, announcesPromises: false });
});

test('A broadcaster sees which accounts the bot currently uses in chats', async () => {
  const add = (login: string, facts: { broken?: boolean; leaseUntilMs: number }) =>
    db.transaction(async (tx) => {
      const sealed = { accessTokenSealed: '', refreshTokenSealed: '', scopes: [] };
      const token = { tokenObtainedAtMs: 0, tokenLifetimeSeconds: 0 };
      await tx.insert(chatAccounts).values({ twitchId: login, login, ...sealed, ...token, ...facts });
    });
  expect((await settingsOf()).speakers).toEqual([]);
  const leaseUntilMs = Date.now() + minute;
  await add('demo_speaker_2', { leaseUntilMs });
  await add('demo_speaker_1', { leaseUntilMs });
  await add('demo_speaker_gone', { leaseUntilMs: Date.now() - minute });
  await add('demo_speaker_broken', { broken: true, leaseUntilMs });
  expect((await settingsOf()).speakers).toEqual(['demo_speaker_1', 'demo_speaker_2']);
});

test('A broadcaster sees why the bot’s lines do not reach the chat, until they do', async () => {
  const record = (fault: ChatFault | null) => recordChatFault(db, { channelId, fault }, Date.now());
  expect((await settingsOf()).chatFault).toBe(null);
  await record('banned');
  await record('restricted');
  expect((await settingsOf()).chatFault).toBe('restricted');
  await record('restricted');
  await record(null);
  await record(null);
  expect((await settingsOf()).chatFault).toBe(null);
  const notified = await db.read
    .select()
    .from(events)
    .where(and(eq(events.kind, 'channel.changed'), eq(events.subjectId, channelId)));
  expect(notified).toHaveLength(3);
});

test('An invalid form changes nothing', async () => {
  await saveChat({ locale: 'en', announces: 'on' });
  const forms: Record<string, string>[] = [{}, { locale: 'de' }, { locale: 'ru', announces: 'yes' }];
  for (const form of forms) expect((await saveChat(form)).status).toBe(400);
  expect(await settingsOf()).toMatchObject({ chatLocale: 'en', announcesPromises: true });
});

test('Excluded names can be separated by lines or commas, and replace the previous ones', async () => {
  expect(await exclude('Demo_Bot\r\n@other_bot, third')).toMatchObject({ toast: 'channel.saved' });
  expect((await settingsOf()).excluded).toEqual(['demo_bot', 'other_bot', 'third']);
  await exclude('third');
  expect((await settingsOf()).excluded).toEqual(['third']);
  await exclude('');
  expect((await settingsOf()).excluded).toEqual([]);
});

test.each([
  ['no name', 'a name!', 'errors.guest.login'],
  ['an address', 'https://twitch.tv/demo', 'errors.guest.login'],
  [
    'too many',
    Array.from({ length: MAX_EXCLUDED + 1 }, (_, n) => `demo_${n}`).join('\n'),
    'errors.guest.tooMany',
  ],
])('%s is refused next to the field, and the list stays', async (_, logins, key) => {
  await exclude('kept');
  const answer = await exclude(logins);
  expect(answer.status).toBe(400);
  expect(answer.body.result.error).toMatchObject({ logins: [key] });
  expect((await settingsOf()).excluded).toEqual(['kept']);
});

test('A user without a channel is told so and cannot change anything', async () => {
  const { visitor: viewer } = await member();
  expect(await settingsOf(viewer)).toBeNull();
  expect((await saveChat({ locale: 'ru' }, viewer)).toast).toBe('errors.account.twitchNotLinked');
  expect((await exclude('name', viewer)).status).toBe(409);
});
