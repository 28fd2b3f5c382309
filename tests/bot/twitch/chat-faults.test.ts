import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { trackFaults } from '#bot/twitch/chat/chat-faults.ts';
import type { LineEnd } from '#bot/twitch/chat/chat-sender.ts';
import { createVoice } from '#bot/twitch/chat/chat-voice.ts';
import { openEventChat } from '#bot/twitch/chat/event-chat.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';
import { second } from '#domain/kernel/time.ts';
import { inChat, setChat } from './chat-stage.ts';
import { addTwitchPerson, until } from './stage.ts';

test('A chat that bans the bot is left, its streamer is told why, and a ban that ended is noticed', async () => {
  const { stage, streamer, said, ask } = await setChat();
  const { twitchId: channelId } = streamer;
  const viewer = await addTwitchPerson(stage);
  const faultOf = async () => (await getChatSettings(stage.db.read, channelId))?.chatFault;
  const bot = await stage.startBot();
  await inChat(stage, channelId);
  await ask(viewer.twitchId, '!rewards');
  stage.world.faults.refuseChat(channelId, 'msg_banned');
  const other = await addTwitchPerson(stage);
  stage.world.say(channelId, other.twitchId, '!progress');
  await until(faultOf, (fault) => fault === 'banned');
  await until(
    () => bot.report().chat?.detail,
    (detail) => detail === 'in 0 of 1 channels',
  );
  expect(said()).toHaveLength(1);
  stage.world.faults.refuseChat(channelId, null);
  // A new connection tries at once.
  stage.world.faults.strike('ircKill');
  await inChat(stage, channelId);
  await until(faultOf, (fault) => fault === null);
  const third = await addTwitchPerson(stage);
  await ask(third.twitchId, '!progress');
  expect(said()).toHaveLength(2);
});

test('A chat that is banned from the beginning is not joined, and one for followers is, but both say so until the bot moderates', async () => {
  const { stage, streamer, ours, said } = await setChat();
  const { twitchId: channelId } = streamer;
  const faultOf = async () => (await getChatSettings(stage.db.read, channelId))?.chatFault;
  stage.world.faults.refuseChat(channelId, 'msg_banned');
  await stage.startBot();
  await until(faultOf, (fault) => fault === 'banned');
  stage.world.faults.refuseChat(channelId, 'msg_followersonly');
  stage.world.faults.strike('ircKill');
  await inChat(stage, channelId);
  await until(faultOf, (fault) => fault === null);
  const viewer = await addTwitchPerson(stage);
  stage.world.say(channelId, viewer.twitchId, '!rewards');
  await until(faultOf, (fault) => fault === 'restricted');
  stage.world.addModerator(channelId, ours.id);
  await until(faultOf, (fault) => fault === null);
  expect(said()).toEqual([]);
});

test('A chat whose AutoMod holds the lines says so', async () => {
  const { stage, streamer, said } = await setChat();
  const { twitchId: channelId } = streamer;
  const faultOf = async () => (await getChatSettings(stage.db.read, channelId))?.chatFault;
  await stage.startBot();
  await inChat(stage, channelId);
  stage.world.faults.refuseChat(channelId, 'msg_rejected');
  const viewer = await addTwitchPerson(stage);
  stage.world.say(channelId, viewer.twitchId, '!rewards');
  await until(faultOf, (fault) => fault === 'restricted');
  expect(said()).toEqual([]);
});

test('Announcements for chats that take no lines wait where they are', async () => {
  const rooms = [
    { login: 'demo', channelId: '700', isMade: true },
    { login: 'other', channelId: '701', isMade: true },
  ];
  const asked: unknown[] = [];
  const voice = createVoice({
    log: pino({ level: 'silent' }),
    ports: () => [chat],
    rooms: () => rooms,
    mayAnswer: () => true,
    beforeLine: async () => {},
    pin: () => {},
    isHeld: () => false,
    isFirst: () => true,
    answer: async () => {},
    takeAnnouncements: async (logins, limit) => {
      asked.push([...logins], limit);
      return [];
    },
    recordFault: async () => {},
  });
  const chat = openEventChat({
    twitchId: '1',
    log: pino({ level: 'silent' }),
    send: async () => ({ end: 'sent', messageId: null }),
    mayAnnounce: () => false,
    ...voice.events,
  });
  chat.setRooms(rooms);
  voice.events.onSilence('700', 'banned', 60 * second);
  await voice.announce();
  voice.stop();
  expect(asked).toEqual([['other'], 20]);
});

test('A chat that Twitch is asked about holds no other chat’s announcements up', async () => {
  const rooms = [
    { login: 'demo', channelId: '700', isMade: true },
    { login: 'other', channelId: '701', isMade: true },
  ];
  const sent: string[] = [];
  const voice = createVoice({
    log: pino({ level: 'silent' }),
    ports: () => [chat],
    rooms: () => rooms,
    mayAnswer: () => true,
    beforeLine: (login) => (login === 'demo' ? new Promise(() => {}) : Promise.resolve()),
    pin: () => {},
    isHeld: () => false,
    isFirst: () => true,
    answer: async () => {},
    takeAnnouncements: async () => [
      { channelLogin: 'demo', text: 'one' },
      { channelLogin: 'other', text: 'two' },
    ],
    recordFault: async () => {},
  });
  const chat = openEventChat({
    twitchId: '1',
    log: pino({ level: 'silent' }),
    send: async (channelId) => {
      sent.push(channelId);
      return { end: 'sent', messageId: null };
    },
    mayAnnounce: () => false,
    ...voice.events,
  });
  chat.setRooms(rooms);
  void voice.announce();
  await until(
    () => sent,
    (all) => all.length > 0,
  );
  voice.stop();
  expect(sent).toEqual(['701']);
});

afterEach(() => {
  vi.useRealTimers();
});

test('A fault ends with the first line that no notice answers', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const recorded: (ChatFault | null)[] = [];
  const room = { login: 'demo', channelId: '700', fault: 'restricted' as ChatFault | null };
  const faults = trackFaults({
    log: pino({ level: 'silent' }),
    rooms: () => [room],
    async recordFault(_channelId, fault) {
      recorded.push(fault);
      room.fault = fault;
    },
  });
  faults.sent('demo');
  faults.record('700', 'restricted');
  vi.advanceTimersByTime(6 * second);
  // It was known.
  expect(recorded).toEqual([]);
  faults.sent('demo');
  vi.advanceTimersByTime(6 * second);
  expect(recorded).toEqual([null]);
  faults.sent('demo');
  faults.tooFast('demo');
  vi.advanceTimersByTime(6 * second);
  expect(recorded).toEqual([null, 'tooFast']);
});

test('Being let in ends a ban, and says nothing about what restricts our lines', () => {
  const recorded: (ChatFault | null)[] = [];
  const room = { login: 'demo', channelId: '700', fault: 'restricted' as ChatFault | null };
  const track = () =>
    trackFaults({
      log: pino({ level: 'silent' }),
      rooms: () => [room],
      recordFault: async (_channelId, fault) => void recorded.push(fault),
    });
  track().letIn('700');
  room.fault = 'tooFast';
  track().letIn('700');
  expect(recorded).toEqual([]);
  room.fault = 'banned';
  track().letIn('700');
  expect(recorded).toEqual([null]);
});

test('A fault is logged and recorded once, however many lines meet it', () => {
  const warnings: unknown[] = [];
  const recorded: (ChatFault | null)[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void warnings.push(JSON.parse(line)) });
  const faults = trackFaults({
    log,
    rooms: () => [{ login: 'demo', channelId: '700' }],
    recordFault: async (_channelId, fault) => void recorded.push(fault),
  });
  for (let lines = 0; lines < 5; lines += 1) faults.record('700', 'restricted');
  expect([warnings.length, recorded]).toEqual([1, ['restricted']]);
  expect(warnings[0]).toMatchObject({ channelId: '700', fault: 'restricted' });
});

test.each([
  ['banned', [null]],
  ['notConnected', [null]],
  ['restricted', []],
] as const)('Once an account is let in, the chat is no longer %s, or still is', (fault, expected) => {
  const recorded: (ChatFault | null)[] = [];
  const faults = trackFaults({
    log: pino({ level: 'silent' }),
    rooms: () => [{ login: 'demo', channelId: '700', fault }],
    recordFault: async (_channelId, given) => void recorded.push(given),
  });
  faults.letIn('700');
  expect(recorded).toEqual(expected);
});

test('A fault does not end because a line was handed over, if nobody knows whether it was taken', async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const recorded: (ChatFault | null)[] = [];
  const room = { login: 'demo', channelId: '700', isMade: true, fault: 'restricted' as const };
  const ends: LineEnd[] = [{ end: 'unknown' }, { end: 'failed' }, { end: 'sent', messageId: null }];
  const voice = createVoice({
    log: pino({ level: 'silent' }),
    ports: () => [chat],
    rooms: () => [room],
    mayAnswer: () => true,
    beforeLine: async () => {},
    pin: () => {},
    isHeld: () => false,
    isFirst: () => true,
    answer: async ({ channelLogin, text }, outlet) => outlet.say({ channelLogin, text }),
    takeAnnouncements: async () => [],
    recordFault: async (_channelId, fault) => void recorded.push(fault),
  });
  const chat = openEventChat({
    twitchId: '1',
    log: pino({ level: 'silent' }),
    send: async () => ends.shift() ?? { end: 'sent', messageId: null },
    mayAnnounce: () => false,
    ...voice.events,
  });
  chat.setRooms([room]);
  const seen = [];
  while (ends.length > 0) {
    const author = { chatter_user_id: '2', chatter_user_name: 'Demo', message_id: `m${ends.length}` };
    chat.receive('700', { ...author, message: { text: `!answer ${ends.length}` } }, Date.now());
    await vi.advanceTimersByTimeAsync(10 * second);
    seen.push(recorded.length);
  }
  voice.stop();
  expect(seen).toEqual([0, 0, 1]);
  expect(recorded).toEqual([null]);
});
