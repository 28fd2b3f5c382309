// 5,000 entries of a raffle within a minute, over IRC and as events: read from a server in another process, taken down in
// batches with everything that the bot does besides, and every one of them found in the list afterwards. The reference
// reads the same lines while no raffle runs. `ratio` is the worse of both.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { gatherEntries } from '#bot/commands/gather-entries.ts';
import type { ChatEvents } from '#bot/twitch/chat/chat-port.ts';
import { openChatSession } from '#bot/twitch/chat/chat-session.ts';
import { openEventChat } from '#bot/twitch/chat/event-chat.ts';
import { openEventSocket } from '#bot/twitch/events/event-socket.ts';
import { startWorker } from '#bot/worker.ts';
import { type Database, openSqlite } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { second } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { type Cost, compare, costOf } from '#tests/benchmarks/measure.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { addBot, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';
import { addRaffle, entriesOf, raffleOf } from '#tests/support/raffles.ts';

const ENTRIES = 5000;
/** A round takes two minutes, because the entries come as slowly as they would. */
const ROUNDS = 2;
/** As often as the bot looks at raffles after a change. */
const RAFFLES_MS = 500;
const ROOM = { login: 'demo_channel_9000', channelId: '9000' };

type Carrier = 'irc' | 'events';
type Listener = Pick<ChatEvents, 'onMessage' | 'awaits' | 'onElsewhere'>;

async function startServer() {
  const child = fork(new URL('./chat-server.ts', import.meta.url), [String(ENTRIES), '7', 'redline'], {
    execArgv: ['--import', 'tsx'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const url = new URL(`ws://127.0.0.1:${port}`);
  return { url, talkInEvents: () => void child.send('talk'), stop: () => child.disconnect() };
}
type Server = Awaited<ReturnType<typeof startServer>>;

const log = pino({ level: 'silent' });
const nothing = () => {};
const others = {
  onSaid: nothing,
  onDropped: nothing,
  onRerouted: nothing,
  onFault: nothing,
  onSilence: nothing,
  onJoined: nothing,
  mayAnnounce: () => false,
};
const send = async () => ({ end: 'sent' as const, messageId: null });

async function readIrc({ url }: Server, listener: Listener): Promise<void> {
  const session = openChatSession({
    login: 'keepsake_demo_bot',
    accessToken: 'demo',
    url,
    pace: { joinMs: 500, silenceMs: 60 * second },
    log,
    wayInto: () => 'irc',
    send,
    ...others,
    ...listener,
  });
  session.setChannels([ROOM]);
  while (!session.isReady()) await new Promise((resolve) => setTimeout(resolve, 5));
  session.say({ id: 0, channelLogin: ROOM.login, text: 'please talk' });
  await session.ended;
}

async function readEvents({ url, talkInEvents }: Server, listener: Listener): Promise<void> {
  const chat = openEventChat({ twitchId: '8000', send, log, ...others, ...listener });
  chat.setRooms([{ ...ROOM, isMade: true }]);
  await new Promise<void>((finish) => {
    const socket = openEventSocket(
      { url: new URL('/ws', url).href, log },
      {
        welcomed: talkInEvents,
        // It connects again unless it is stopped after this.
        lost: () =>
          setImmediate(() => {
            socket.stop();
            finish();
          }),
        notified: ({ channelId, event, sentAtMs }) => chat.receive(channelId, event, sentAtMs),
        revoked: nothing,
      },
    );
  });
}

const read: Record<Carrier, (server: Server, listener: Listener) => Promise<void>> = {
  irc: readIrc,
  events: readEvents,
};

/** A streamer whose channel is the one with the entries. */
async function broadcasterOf(db: Database): Promise<Person> {
  const streamer = await addStreamer(db);
  const own = { twitchId: ROOM.channelId };
  await db.transaction(async (tx) => {
    await tx.update(twitchAccounts).set(own).where(eq(twitchAccounts.userId, streamer.userId));
    await tx
      .update(channels)
      .set({ id: ROOM.channelId, login: ROOM.login })
      .where(eq(channels.id, streamer.twitchId));
  });
  return { ...streamer, ...own };
}

/** Something has changed before each round, as while entries are written. */
const changes = {
  stop: nothing,
  listen(listener: () => void) {
    const timer = setInterval(listener, RAFFLES_MS);
    return () => clearInterval(timer);
  },
};

/** Runs a raffle from its first entry to the last one that is written. */
async function takeDown(
  { db, streamer, server }: { db: Database; streamer: Person; server: Server },
  carrier: Carrier,
): Promise<Cost> {
  const clock = { now: () => Date.now(), stop: nothing };
  const raffleId = await addRaffle(db, streamer, { minutes: 10 }, Date.now());
  const entries = gatherEntries({
    ...{ db, clock, log, lease: heldLease(db) },
    botLogins: ['keepsake_demo_bot'],
  });
  await entries.run();
  const rounds = startWorker({ name: 'raffles', everyMs: RAFFLES_MS, changes, log, run: entries.run });
  const cost = await costOf(async () => {
    const onMessage = (message: Parameters<typeof entries.take>[0]) => void entries.take(message);
    await read[carrier](server, { onMessage, awaits: entries.awaits, onElsewhere: entries.elsewhere });
    await entries.finish();
  });
  await rounds.stop();
  await cancelRaffle(db, { raffleId }, Date.now());
  const taken = new Set((await entriesOf(db, raffleId)).map(({ twitchId }) => twitchId));
  const { entryCount } = await raffleOf(db, raffleId);
  if (taken.size !== ENTRIES || entryCount !== ENTRIES)
    throw new Error(`${ENTRIES - taken.size} of ${ENTRIES} entries by ${carrier} are lost`);
  return cost;
}

export async function run(options: BenchOptions) {
  const { file, folder } = await makeBenchFile(options);
  const db = await openSqlite(file);
  await addBot(db);
  const streamer = await broadcasterOf(db);
  const server = await startServer();
  const compareBy = (carrier: Carrier) =>
    compare({
      rounds: ROUNDS,
      warmUps: 0,
      subject: async () => takeDown({ db, streamer, server }, carrier),
      reference: () => costOf(() => read[carrier](server, { onMessage: nothing, awaits: () => false })),
    });
  const irc = await compareBy('irc');
  const events = await compareBy('events');
  server.stop();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  const worse = irc.ratio > events.ratio ? irc : events;
  return { ...worse, ircRatio: irc.ratio, eventsRatio: events.ratio, entries: ENTRIES, rounds: ROUNDS };
}
