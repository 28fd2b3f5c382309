import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { openChatSession } from '#bot/twitch/chat/chat-session.ts';
import type { LineWay } from '#bot/twitch/chat/line-ways.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { skippableSteadyTime } from '#tests/support/passing-time.ts';
import { until } from './stage.ts';

/** A chat server that accepts everybody, and the messages that our session receives from it. */
async function setSession() {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  let socket: WebSocket | null = null;
  server.on('connection', (opened) => {
    socket = opened;
    opened.on('message', (data) => {
      lines.push(...String(data).split('\r\n'));
      if (String(data).startsWith('NICK')) opened.send(':tmi.twitch.tv 376 demo_bot :>\r\n');
    });
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const messages: ChatMessage[] = [];
  const lines: string[] = [];
  const faults: [string, ChatFault | null][] = [];
  const silences: unknown[] = [];
  const dropped: number[] = [];
  const way: { value: LineWay } = { value: 'irc' };
  const session = openChatSession({
    login: 'demo_bot',
    accessToken: 'demo-word',
    url: new URL(`ws://127.0.0.1:${port}`),
    pace: { joinMs: 100, silenceMs: 60_000 },
    log: pino({ level: 'silent' }),
    wayInto: () => way.value,
    mayAnnounce: () => false,
    send: async () => ({ end: 'sent', messageId: null }),
    onMessage: (message) => messages.push(message),
    onDropped: ({ id }) => dropped.push(id),
    onRerouted: () => {},
    onFault: (channelId, fault) => faults.push([channelId, fault]),
    onSaid: () => {},
    onSilence: (channelId, silence, forMs) => silences.push([channelId, silence, forMs]),
    onJoined: () => {},
  });
  onTestFinished(async () => {
    session.close();
    await new Promise((resolve) => server.close(resolve));
  });
  session.setChannels([{ login: 'demo_streamer', channelId: '700' }]);
  await until(session.isReady, (ready) => ready);
  /** Null: a line without text, as IRC allows. */
  const say = (tags: Record<string, string>, text: string | null) => {
    const written = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
    const trailing = text === null ? '' : ` :${text}`;
    socket?.send(`@${written.join(';')} :demo!demo@demo.tmi.twitch.tv PRIVMSG #demo_streamer${trailing}\r\n`);
  };
  /** Sends Twitch's report about the bot's own role. */
  const report = (role: string) =>
    socket?.send(`@${role};user-type= :tmi.twitch.tv USERSTATE #demo_streamer\r\n`);
  const notify = (id: string, text: string) =>
    socket?.send(`@msg-id=${id} :tmi.twitch.tv NOTICE #demo_streamer :${text}\r\n`);
  /** Sends a notice with a viewer's own text, such as a resubscription's. */
  const announce = (tags: Record<string, string>, text: string | null) => {
    const written = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
    const trailing = text === null ? '' : ` :${text}`;
    socket?.send(`@${written.join(';')} :tmi.twitch.tv USERNOTICE #demo_streamer${trailing}\r\n`);
  };
  /** The lines of ours that Twitch took, each with its id there. */
  const taken: [string, string | null][] = [];
  const write = (id: number, text: string) =>
    session.say({
      id,
      channelLogin: 'demo_streamer',
      text,
      onTaken: (messageId) => taken.push([text, messageId]),
    });
  return {
    ...{ say, report, announce, notify, write, faults, silences, dropped, taken, messages, session, way },
    received: () => lines,
  };
}

const tags = {
  id: 'a1',
  'display-name': 'Demo',
  'room-id': '700',
  'user-id': '900',
  'tmi-sent-ts': '1700000000123',
};

test('A command is received with the ids of its author and channel', async () => {
  const { say, messages } = await setSession();
  say(tags, 'nothing for us');
  say(tags, ' !rewards');
  expect(
    await until(
      () => messages,
      (all) => all.length > 0,
    ),
  ).toEqual([
    {
      id: 'a1',
      channelId: '700',
      channelLogin: 'demo_streamer',
      twitchId: '900',
      login: 'demo',
      displayName: 'Demo',
      text: expect.stringMatching(/!rewards$/),
      sentAtMs: 1_700_000_000_123,
    },
  ]);
});

test('A command from another channel in a shared chat is ignored', async () => {
  const { say, messages } = await setSession();
  say({ ...tags, 'source-room-id': '701' }, '!elsewhere');
  say({ ...tags, 'source-room-id': '700' }, '!here');
  await until(
    () => messages,
    (all) => all.some(({ text }) => text === '!here'),
  );
  expect(messages.map(({ text }) => text)).toEqual(['!here']);
});

test('A command in the chat of somebody who took over the login is ignored, and the chat is left', async () => {
  const { say, messages, received } = await setSession();
  say({ ...tags, 'room-id': '702' }, '!rewards');
  await until(received, (lines) => lines.includes('PART #demo_streamer'));
  say(tags, '!here');
  await until(
    () => messages,
    (all) => all.length > 0,
  );
  expect(messages.map(({ text }) => text)).toEqual(['!here']);
});

test('A message without Twitch’s ids is ignored', async () => {
  const { say, messages } = await setSession();
  say({ 'display-name': 'Demo', 'room-id': '700' }, '!anonymous');
  say({ 'display-name': 'Demo', 'user-id': '900' }, '!nowhere');
  say(tags, '!whole');
  await until(
    () => messages,
    (all) => all.some(({ text }) => text === '!whole'),
  );
  expect(messages).toHaveLength(1);
});

test('A command counts in a reply, as an action, and among characters that nobody sees', async () => {
  const { say, messages } = await setSession();
  say({ ...tags, 'reply-parent-msg-id': 'demo-id' }, '@demo_friend !progress');
  say(tags, '\u0001ACTION !claim\u0001');
  say(tags, '\u200b!rewards \u034f');
  say(tags, '!watchtime\u{e0000}');
  say(tags, '@demo_friend !rewards');
  say(tags, '!last');
  await until(
    () => messages,
    (all) => all.some(({ text }) => text === '!last'),
  );
  expect(messages.map(({ text }) => text)).toEqual([
    '!progress',
    '!claim',
    '!rewards',
    '!watchtime',
    '!last',
  ]);
});

test('A command counts in the message of a resubscription and in an announcement', async () => {
  const { announce, messages } = await setSession();
  const notice = { ...tags, login: 'demo', 'system-msg': 'Demo\\ssubscribed' };
  announce({ ...notice, 'msg-id': 'raid' }, null);
  announce({ ...notice, 'msg-id': 'resub' }, 'still here');
  announce({ ...notice, 'msg-id': 'sharedchatnotice', 'source-room-id': '701' }, '!elsewhere');
  announce({ ...notice, 'msg-id': 'announcement', login: 'demo_bot' }, '!ours');
  announce({ ...notice, 'msg-id': 'resub' }, '!progress');
  announce({ ...notice, id: 'a2', 'msg-id': 'announcement' }, '!rewards');
  await until(
    () => messages,
    (all) => all.length === 2,
  );
  expect(messages.map(({ id, text }) => [id, text])).toEqual([
    ['a1', '!progress'],
    ['a2', '!rewards'],
  ]);
  expect(messages[0]).toMatchObject({ channelId: '700', twitchId: '900', displayName: 'Demo' });
});

test('A line without text ends nothing', async () => {
  const { say, messages } = await setSession();
  say(tags, null);
  say(tags, '!rewards');
  await until(
    () => messages,
    (all) => all.length > 0,
  );
});

test.each([
  ['a moderator', 'badges=moderator/1;mod=1'],
  // Recorded without `mod=1` (Chatterino/chatterino2 pull 6642).
  ['a lead moderator', 'badges=lead_moderator/1,subscriber/0;mod=0'],
  ['the broadcaster', 'badges=broadcaster/1;mod=0'],
])('Whoever is %s is refused nothing, and who was may be', async (_who, role) => {
  const { say, report, faults, messages } = await setSession();
  report(role);
  await until(
    () => faults,
    (all) => all.length === 1,
  );
  report('badges=;mod=0');
  say(tags, '!rewards');
  await until(
    () => messages,
    (all) => all.length > 0,
  );
  expect(faults).toEqual([['700', null]]);
});

test('A moderator whose lines are held, because others would see them, stays in trouble', async () => {
  const { say, report, faults, messages, way } = await setSession();
  way.value = 'held';
  report('badges=moderator/1;mod=1');
  say(tags, '!rewards');
  await until(
    () => messages,
    (all) => all.length > 0,
  );
  expect(faults).toEqual([]);
});

test('A timeout lasts as long as its notice says, a quarter of an hour at most, and a ban leaves the chat', async () => {
  const { notify, silences } = await setSession();
  notify('msg_timedout', 'You are timed out for 600 more seconds.');
  notify('msg_timedout', 'You are timed out for 86400 more seconds.');
  notify('msg_timedout', 'You are timed out.');
  notify('msg_banned', 'You are permanently banned from talking in demo_streamer.');
  await until(
    () => silences,
    (all) => all.length === 4,
  );
  expect(silences).toEqual([
    ['700', 'timedOut', 10 * minute],
    ['700', 'timedOut', 15 * minute],
    ['700', 'timedOut', minute],
    ['700', 'banned', 15 * minute],
  ]);
});

describe('Twitch’s answer', () => {
  test('to a line is a state with its id, or a notice, and no other state', async () => {
    const { report, notify, write, faults, taken } = await setSession();
    write(1, 'refused');
    report('badges=;mod=0');
    notify('msg_rejected', 'Your message is being checked by mods and has not been sent.');
    write(2, 'taken');
    report('badges=;mod=0;id=m2');
    await until(
      () => taken,
      (all) => all.length > 0,
    );
    expect([taken, faults]).toEqual([[['taken', 'm2']], [['700', 'restricted']]]);
  });

  test('belongs to no line that has waited for too long', async () => {
    const { report, write, taken } = await setSession();
    const { skip } = skippableSteadyTime();
    write(1, 'never answered');
    skip(6 * second);
    write(2, 'taken');
    report('badges=;mod=0;id=m2');
    await until(
      () => taken,
      (all) => all.length > 0,
    );
    expect(taken).toEqual([['taken', 'm2']]);
  });

  test('names the line that it drops', async () => {
    const { say, messages, notify, write, dropped } = await setSession();
    // It answers no line of ours.
    notify('msg_ratelimit', 'You are sending messages too quickly.');
    say(tags, '!rewards');
    await until(
      () => messages,
      (all) => all.length > 0,
    );
    write(1, 'too soon');
    write(2, 'another');
    notify('msg_ratelimit', 'You are sending messages too quickly.');
    await until(
      () => dropped,
      (all) => all.length > 0,
    );
    expect(dropped).toEqual([1]);
  });
});
