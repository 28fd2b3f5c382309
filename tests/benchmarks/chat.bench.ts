// 100,000 chat lines of 20 channels through the bot's chat: its session, commands, queue and a database with a rule on
// each channel, over IRC and as events. References for the same lines: a tmi.js client with an empty listener, and a bare
// WebSocket that parses each frame. All get them from a server in another process; `ratio` is the worse of both. The slope of the heap after garbage collection over the rounds shows whether anything grows with the
// lines.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { pino } from 'pino';
import tmi from 'tmi.js';
import { WebSocket } from 'ws';
import { answerChat } from '#bot/commands/answer-chat.ts';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import type { ChatPort } from '#bot/twitch/chat/chat-port.ts';
import { openChatSession } from '#bot/twitch/chat/chat-session.ts';
import { openEventChat } from '#bot/twitch/chat/event-chat.ts';
import { messageQueue } from '#bot/twitch/chat/message-queue.ts';
import { openEventSocket } from '#bot/twitch/events/event-socket.ts';
import { openSqlite } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { type Cost, collectGarbage, compare, costOf, rounded } from '#tests/benchmarks/measure.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { START_MS } from '#tests/support/fixtures.ts';

const LINES = 100_000;
const ROUNDS = 7;
const CHANNELS = 20;

async function startServer() {
  const child = fork(new URL('./chat-server.ts', import.meta.url), [String(LINES), '7'], {
    execArgv: ['--import', 'tsx'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const url = new URL(`ws://127.0.0.1:${port}`);
  return { url, talkInEvents: () => void child.send('talk'), stop: () => child.disconnect() };
}

/** The cost from requesting the lines until the server hangs up. */
async function listening(connect: () => Promise<{ ask(): void; ended: Promise<unknown> }>): Promise<Cost> {
  const { ask, ended } = await connect();
  return costOf(() => {
    ask();
    return ended;
  });
}

const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

async function makeStore(file: string) {
  const db = await openSqlite(file);
  await db.transaction(async (tx) => {
    for (let number = 0; number < CHANNELS; number++) {
      const login = `demo_channel_${9000 + number}`;
      const row = { id: String(9000 + number), login, displayName: login, lastSeenAtMs: START_MS };
      await tx.insert(channels).values(row);
    }
  });
  return db;
}

/** The rooms in which the chat server's people talk. */
const benchRooms = Array.from({ length: 20 }, (_, number) => ({
  login: `demo_channel_${9000 + number}`,
  channelId: `${9000 + number}`,
}));

export async function run(options: BenchOptions) {
  const server = await startServer();
  const { file, folder } = await makeBenchFile(options);
  const db = await makeStore(file);
  const log = pino({ level: 'silent' });
  let received = 0;
  let answered = 0;

  const clock = { now: () => START_MS, stop: () => {} };
  const { answer, stop } = answerChat({ db, clock, log, publicUrl: new URL('http://localhost:3000') });
  /** Answers commands through a queue that writes into this port. */
  const voiceOf = (port: () => ChatPort) => {
    const queue = messageQueue({
      send: (line) => {
        answered++;
        return port().say(line);
      },
      isModerator: (channelLogin) => port().isModerator(channelLogin) ?? false,
    });
    const onMessage = (message: ChatMessage) => {
      received++;
      void answer(message, { waitMs: queue.waitMs, say: async (line) => queue.push(line) });
    };
    const nothing = () => {};
    const others = { onSaid: nothing, onDropped: nothing, onRerouted: nothing, onFault: nothing };
    const events = { onMessage, ...others, onSilence: nothing, onJoined: nothing };
    const stopAll = () => {
      stop();
      queue.stop();
    };
    return { events, stop: stopAll };
  };

  const botsChat = async () => {
    const voice = voiceOf(() => session);
    const session = openChatSession({
      login: 'keepsake_demo_bot',
      accessToken: 'demo',
      url: server.url,
      pace: { joinMs: 500, silenceMs: 60_000 },
      log,
      wayInto: () => 'irc',
      mayAnnounce: () => false,
      send: async () => ({ end: 'sent', messageId: null }),
      ...voice.events,
    });
    session.setChannels(benchRooms);
    await until(session.isReady);
    const ended = session.ended.finally(() => voice.stop());
    return {
      ask: () => void session.say({ id: 0, channelLogin: 'demo_channel_9000', text: 'please talk' }),
      ended,
    };
  };

  const botsEvents = async () => {
    const voice = voiceOf(() => chat);
    const send = async () => ({ end: 'sent' as const, messageId: null });
    const chat = openEventChat({ twitchId: '8000', send, mayAnnounce: () => false, log, ...voice.events });
    chat.setRooms(benchRooms.map((room) => ({ ...room, isMade: true })));
    let finish = () => {};
    const ended = new Promise<void>((resolve) => {
      finish = resolve;
    }).finally(() => voice.stop());
    await new Promise<void>((welcomed) => {
      const socket = openEventSocket(
        { url: new URL('/ws', server.url).href, log },
        {
          welcomed: () => welcomed(),
          // It connects again unless it is stopped after this.
          lost: () =>
            setImmediate(() => {
              socket.stop();
              finish();
            }),
          notified: ({ channelId, event, sentAtMs }) => chat.receive(channelId, event, sentAtMs),
          revoked() {},
        },
      );
    });
    return { ask: server.talkInEvents, ended };
  };

  const bareSocket = async () => {
    const socket = new WebSocket(new URL('/ws', server.url), { perMessageDeflate: false });
    let parsed = 0;
    socket.on('message', (data) => {
      if (JSON.parse(String(data)).payload) parsed++;
    });
    await once(socket, 'message');
    const ended = once(socket, 'close').then(() => {
      if (parsed < LINES) throw new Error(`only ${parsed} frames were parsed`);
    });
    return { ask: server.talkInEvents, ended };
  };

  const emptyListener = async () => {
    const client = new tmi.Client({
      options: { skipMembership: true, skipUpdatingEmotesets: true },
      connection: {
        server: server.url.hostname,
        port: Number(server.url.port),
        secure: false,
        reconnect: false,
      },
      identity: { username: 'keepsake_demo_bot', password: 'oauth:demo' },
      logger: { info() {}, warn() {}, error() {} },
    });
    client.on('chat', () => {});
    await client.connect();
    const ended = new Promise((resolve) => client.on('disconnected', resolve));
    return { ask: () => void client.say('#demo_channel_9000', 'please talk').catch(() => {}), ended };
  };

  const heapBytes: number[] = [];
  const irc = await compare({
    rounds: ROUNDS,
    subject: async (round) => {
      const cost = await listening(botsChat);
      collectGarbage();
      if (round > 0) heapBytes.push(process.memoryUsage().heapUsed);
      return cost;
    },
    reference: () => listening(emptyListener),
  });
  const events = await compare({
    rounds: ROUNDS,
    subject: () => listening(botsEvents),
    reference: () => listening(bareSocket),
  });
  if (received < 2 * (LINES / 200) * (ROUNDS + 1)) throw new Error(`only ${received} commands were heard`);
  if (answered === 0) throw new Error('no command was answered');
  server.stop();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  const worse = irc.ratio > events.ratio ? irc : events;
  return {
    ...worse,
    ircRatio: irc.ratio,
    eventsRatio: events.ratio,
    lines: LINES,
    rounds: ROUNDS,
    answered,
    heapMegabytes: rounded((heapBytes.at(-1) ?? 0) / 2 ** 20),
    heapSlopeBytesPerLine: rounded(slope(heapBytes) / LINES),
  };
}

/** The least-squares slope of values one round apart. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const over = values.reduce((sum, value, place) => sum + (place - middle) * (value - mean), 0);
  const under = values.reduce((sum, _, place) => sum + (place - middle) ** 2, 0);
  return over / under;
}
