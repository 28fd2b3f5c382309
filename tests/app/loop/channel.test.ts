import { and, eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { loader as channelLoader, action as excludedAction } from '#app/routes/channel/channel.tsx';
import { action as chatAction } from '#app/routes/channel/chat.ts';
import { action as commandsAction, loader as commandsLoader } from '#app/routes/channel/commands.tsx';
import { loader as dashboardLoader } from '#app/routes/dashboard/dashboard.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { chatAccounts } from '#db/schema/account.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { events } from '#db/schema/outbox.ts';
import { recordChatFault } from '#domain/channel/record-chat-fault.ts';
import { MAX_EXCLUDED } from '#domain/channel/set-excluded-logins.ts';
import { minute } from '#domain/kernel/time.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { addBot, addRule, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { occupyLeases } from '#tests/support/leases.ts';
import { readChatters } from '#tests/support/stream.ts';
import { member } from '../support/member.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let streamer: Person;
let visitor: Visitor;
let channelId: string;
beforeEach(async () => {
  db = await database();
  streamer = await addStreamer(db);
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
  const add = (login: string, facts: { broken?: boolean } = {}) =>
    db.transaction(async (tx) => {
      const sealed = { accessTokenSealed: '', refreshTokenSealed: '', scopes: [] };
      const token = { tokenObtainedAtMs: 0, tokenLifetimeSeconds: 0 };
      await tx.insert(chatAccounts).values({ twitchId: login, login, ...sealed, ...token, ...facts });
    });
  expect((await settingsOf()).speakers).toEqual([]);
  await add('demo_speaker_2');
  await add('demo_speaker_1');
  await add('demo_speaker_gone');
  await add('demo_speaker_broken', { broken: true });
  await occupyLeases(db, ['chat:demo_speaker_2', 'chat:demo_speaker_1', 'chat:demo_speaker_broken']);
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

test('The dashboard tells that the bot’s lines do not reach the chat, while a rule is open there', async () => {
  const trouble = async () =>
    (await visitor.call(dashboardLoader, '/dashboard?view=streamer')).body.found.streamer.hasChatTrouble;
  await recordChatFault(db, { channelId, fault: 'banned' }, Date.now());
  expect(await trouble()).toBe(false);
  await addBot(db);
  await addRule(db, streamer);
  expect(await trouble()).toBe(true);
  await recordChatFault(db, { channelId, fault: null }, Date.now());
  expect(await trouble()).toBe(false);
});

test('A broadcaster sees the last stream checked, and while it is the first one on the dashboard too', async () => {
  const firstStream = async () =>
    (await visitor.call(dashboardLoader, '/dashboard?view=streamer')).body.found.streamer.firstStream;
  expect([(await settingsOf()).check, await firstStream()]).toEqual([null, null]);
  const startedAtMs = Date.now() - 2 * minute;
  const stream = { streamId: 's1', startedAtMs, gameName: 'Demo', title: '', viewers: 52 };
  await recordStream(db, { channelId, stream }, startedAtMs);
  await readChatters(db, channelId, ['901', '902'], startedAtMs + minute, { uncounted: { bot: ['903'] } });
  const check = { people: 2, bots: 1, viewers: 52, outsideChat: 50 };
  expect(await settingsOf()).toMatchObject({ check });
  expect(await firstStream()).toMatchObject(check);
  await recordStream(db, { channelId, stream: null }, startedAtMs + minute);
  const second = { ...stream, streamId: 's2', startedAtMs: startedAtMs + 40 * minute };
  await recordStream(db, { channelId, stream: second }, startedAtMs + 40 * minute);
  await readChatters(db, channelId, ['901'], startedAtMs + 41 * minute, { streamId: 's2' });
  expect((await settingsOf()).check).toMatchObject({ people: 1 });
  expect(await firstStream()).toBeNull();
});

describe('The page of chat commands', () => {
  const fields = { rewards: 'rewards', progress: 'progress', watchTime: 'watchtime', claim: 'claim' };
  const allOn = { rewards_on: 'on', progress_on: 'on', watchTime_on: 'on', claim_on: 'on' };
  const commandsOf = async () =>
    (await visitor.call(commandsLoader, '/channel/commands')).body.commands as {
      command: string;
      name: string;
      isOn: boolean;
      collides: boolean;
    }[];
  const save = (form: Record<string, string>, who = visitor) =>
    who.call(commandsAction, '/channel/commands', { form });

  test('renames them, switches them off, and names the one that another bot answers too', async () => {
    expect((await commandsOf()).filter(({ collides }) => collides)).toMatchObject([{ name: 'watchtime' }]);
    expect((await settingsOf()).collisions).toEqual(['watchtime']);
    const { claim_on: _, ...on } = allOn;
    expect(await save({ ...fields, ...on, watchTime: '!Часы' })).toMatchObject({
      location: '/channel',
      toast: 'channel.saved',
    });
    expect(await commandsOf()).toMatchObject([
      { command: 'rewards', name: 'rewards', isOn: true },
      { command: 'progress', name: 'progress', isOn: true },
      { command: 'watchTime', name: 'часы', isOn: true, collides: false },
      { command: 'claim', name: 'claim', isOn: false },
    ]);
    expect(await settingsOf()).toMatchObject({ commands: ['rewards', 'progress', 'часы'], collisions: [] });
  });

  test('refuses names beside their fields, keeps what was written, and changes nothing', async () => {
    const shared = await save({ ...fields, ...allOn, claim: 'PROGRESS' });
    expect(shared.status).toBe(400);
    expect(shared.body.result).toMatchObject({
      error: { progress: ['errors.command.shared'], claim: ['errors.command.shared'] },
      initialValue: { claim: 'PROGRESS', claim_on: 'on' },
    });
    const invalid = await save({ ...fields, rewards: 'two words', claim: '' });
    expect(invalid.body.result.error).toEqual({
      rewards: ['errors.command.name'],
      claim: ['errors.command.name'],
    });
    expect((await settingsOf()).commands).toEqual(['rewards', 'progress', 'watchtime', 'claim']);
  });

  test('is of no use without a channel', async () => {
    const { visitor: viewer } = await member();
    expect((await save({ ...fields }, viewer)).status).toBe(409);
  });
});
