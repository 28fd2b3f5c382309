import tmi from 'tmi.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clientId, seen, startDemo, userNamed } from './start-demo.ts';

type Demo = Awaited<ReturnType<typeof startDemo>>;

interface Received {
  channel: string;
  tags: tmi.ChatUserstate;
  text: string;
  self: boolean;
}

const quiet = { info() {}, warn() {}, error() {}, setLevel() {} };

function client(demo: Demo, password: string, channels: string[] = ['demo_streamer']) {
  const chat = new tmi.Client({
    options: { skipMembership: true, skipUpdatingEmotesets: true, joinInterval: 300 },
    connection: { server: 'localhost', port: demo.port, secure: false, reconnectInterval: 50 },
    identity: { username: 'keepsake_demo_bot', password },
    channels,
    logger: quiet as unknown as tmi.Options['logger'],
  });
  const received: Received[] = [];
  const joined: string[] = [];
  const notices: string[] = [];
  chat.on('message', (channel, tags, text, self) => received.push({ channel, tags, text, self }));
  chat.on('join', (channel, _name, self) => self && joined.push(channel));
  chat.on('notice', (_channel, id) => notices.push(id));
  onTestFinished(async () => {
    if (chat.readyState() === 'OPEN') await chat.disconnect();
  });
  return { chat, received, joined, notices };
}

function tokenOf(demo: Demo, login = 'keepsake_demo_bot', scopes = ['chat:read', 'chat:edit']) {
  const { id } = userNamed(demo.world, login);
  return `oauth:${demo.world.tokens.issue({ clientId, userId: id, scopes }).accessToken}`;
}

describe('the chat with tmi.js', () => {
  test('connects, joins, receives others’ messages with tags, and not its own', async () => {
    const demo = await startDemo();
    const { chat, received, joined } = client(demo, tokenOf(demo));
    await chat.connect();
    await seen(() => joined.length === 1);
    demo.world.say(demo.streamer.id, demo.viewer.id, '!progress; now \\ ok');
    await seen(() => received.length === 1);
    expect(received[0]).toMatchObject({
      channel: '#demo_streamer',
      text: '!progress; now \\ ok',
      self: false,
      tags: {
        'user-id': demo.viewer.id,
        username: 'demo_viewer_01',
        'display-name': 'Demo_Viewer_01',
        mod: false,
      },
    });
    await chat.say('demo_streamer', 'hello');
    await seen(() => demo.world.chatLog(demo.streamer.id).length === 2);
    demo.world.say(demo.streamer.id, demo.streamer.id, 'end');
    await seen(() => received.at(-1)?.text === 'end');
    expect(received.map((one) => [one.text, one.self])).toEqual([
      ['!progress; now \\ ok', false],
      ['hello', true],
      ['end', false],
    ]);
    expect(received.at(-1)?.tags.badges).toMatchObject({ broadcaster: '1' });
    expect(demo.world.chatLog(demo.streamer.id).at(1)).toMatchObject({ userId: demo.bot.id, text: 'hello' });
  });

  test('answers a ping in the form that tmi.js expects', async () => {
    const demo = await startDemo();
    const { chat } = client(demo, tokenOf(demo));
    await chat.connect();
    expect(await chat.ping()).toHaveLength(1);
  });

  test('lists who has joined, and no longer after they left', async () => {
    const demo = await startDemo();
    const { chat, joined } = client(demo, tokenOf(demo));
    await chat.connect();
    await seen(() => joined.length === 1);
    expect(demo.world.chattersOf(demo.streamer.id)).toEqual([demo.bot]);
    await chat.part('demo_streamer');
    await seen(() => demo.world.chattersOf(demo.streamer.id).length === 0);
    await expect(chat.join('nobody_here')).rejects.toBe('msg_channel_suspended');
  });

  test.each(['ircKill', 'ircReconnect'] as const)('reconnects and joins again after %s', async (fault) => {
    const demo = await startDemo();
    const { chat, received, joined } = client(demo, tokenOf(demo));
    await chat.connect();
    await seen(() => joined.length === 1);
    demo.world.faults.strike(fault);
    await seen(() => joined.length === 2);
    demo.world.say(demo.streamer.id, demo.viewer.id, 'again');
    await seen(() => received.length === 1);
    expect(demo.world.chattersOf(demo.streamer.id)).toEqual([demo.bot]);
  });

  test('reconnects after a restart of the sandbox on the same port with the same token', async () => {
    const demo = await startDemo();
    const { chat, joined } = client(demo, tokenOf(demo));
    await chat.connect();
    await seen(() => joined.length === 1);
    await demo.close();
    const saved = JSON.parse(JSON.stringify(demo.world));
    await startDemo({ port: demo.port, saved });
    await seen(() => joined.length === 2);
  });

  test.each([
    ['an unknown token', () => 'oauth:unknown', 'Login authentication failed'],
    [
      'a token without chat scopes',
      (demo: Demo) => tokenOf(demo, 'keepsake_demo_bot', []),
      'Login authentication failed',
    ],
    [
      'an expired token',
      (demo: Demo) => {
        const word = tokenOf(demo);
        demo.world.expireTokens();
        return word;
      },
      'Login authentication failed',
    ],
  ])('refuses %s', async (_what, word, reason) => {
    const demo = await startDemo();
    const { chat } = client(demo, word(demo));
    await expect(chat.connect()).rejects.toBe(reason);
  });

  test('drops messages beyond 20 in 30 seconds from a user who is not a moderator', async () => {
    const demo = await startDemo();
    const { chat, joined, notices } = client(demo, tokenOf(demo, 'demo_viewer_01'));
    await chat.connect();
    await seen(() => joined.length === 1);
    const rooms = Array.from({ length: 21 }, (_, number) =>
      demo.world.addUser({ login: `demo_room_${number}` }),
    );
    for (const { login } of rooms) await chat.say(login, 'hello');
    await seen(() => notices.length === 1);
    expect(notices).toEqual(['msg_ratelimit']);
    expect(rooms.flatMap(({ id }) => demo.world.chatLog(id))).toHaveLength(20);
  });

  test.for([
    ['a second line within a second', 'another', 'msg_ratelimit'],
    ['the same line within half a minute', 'hello', 'msg_duplicate'],
  ] as const)('drops %s from a user who is not a moderator', async ([_what, second, notice]) => {
    const demo = await startDemo();
    const { chat, joined, notices } = client(demo, tokenOf(demo, 'demo_viewer_01'));
    await chat.connect();
    await seen(() => joined.length === 1);
    await chat.say('demo_streamer', 'hello');
    await chat.say('demo_streamer', second);
    await seen(() => notices.length === 1);
    expect(notices).toEqual([notice]);
    expect(demo.world.chatLog(demo.streamer.id)).toHaveLength(1);
  });

  test('tells a lead moderator by the badge alone, and when a line was written', async () => {
    const demo = await startDemo();
    const { chat, received, joined } = client(demo, tokenOf(demo));
    await chat.connect();
    await seen(() => joined.length === 1);
    demo.world.addModerator(demo.streamer.id, demo.viewer.id, 'lead_moderator');
    demo.world.faults.holdLines();
    const before = Date.now();
    demo.world.say(demo.streamer.id, demo.viewer.id, 'hello');
    const after = Date.now();
    await seen(() => Date.now() > after + 20);
    demo.world.faults.releaseLines();
    await seen(() => received.length === 1);
    const { mod, badges, ...tags } = received[0]?.tags ?? {};
    expect([mod, badges]).toEqual([false, { lead_moderator: '1' }]);
    const sentAtMs = Number(tags['tmi-sent-ts']);
    expect(sentAtMs >= before && sentAtMs <= after).toBe(true);
  });

  test('lets an account into a hundred chats, besides those that it moderates', async () => {
    const now = Date.now.bind(Date);
    let skippedMs = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + skippedMs);
    onTestFinished(() => clock.mockRestore());
    const demo = await startDemo();
    const { world, bot, streamer, viewer } = demo;
    const rooms = Array.from({ length: 102 }, (_, number) => world.addUser({ login: `demo_room_${number}` }));
    world.addModerator(streamer.id, bot.id);
    const { chat } = client(demo, tokenOf(demo));
    await chat.connect();
    const isIn = ({ id }: { id: string }) => world.chattersOf(id).some((user) => user.id === bot.id);
    /** Joins as fast as Twitch allows. */
    const join = async (some: readonly { login: string }[]) => {
      skippedMs += 10_000;
      for (const { login } of some) await chat.raw(`JOIN #${login}`);
    };
    await seen(() => isIn(streamer));
    for (let from = 0; from < 100; from += 20) {
      await join(rooms.slice(from, from + 20));
      await seen(() => rooms.slice(from, from + 20).every(isIn));
    }
    world.addModerator(viewer.id, bot.id);
    await join([...rooms.slice(100), viewer]);
    await seen(() => isIn(viewer));
    expect(rooms.filter(isIn)).toEqual(rooms.slice(0, 100));
    await chat.raw(`PART #${rooms[0]?.login}`);
    await join(rooms.slice(101));
    await seen(() => rooms.slice(101).every(isIn));
  });

  test('knows a renamed channel by its new name only', async () => {
    const demo = await startDemo();
    demo.world.rename(demo.streamer.id, 'demo_streamer_renamed');
    const { chat, received, joined } = client(demo, tokenOf(demo), ['demo_streamer_renamed']);
    await chat.connect();
    await seen(() => joined.length === 1);
    demo.world.say(demo.streamer.id, demo.viewer.id, 'hi');
    await seen(() => received.length === 1);
    expect(received[0]?.tags['room-id']).toBe(demo.streamer.id);
    await expect(chat.join('demo_streamer')).rejects.toBe('msg_channel_suspended');
  });
});
