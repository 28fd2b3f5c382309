import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { type ReadWatched, watchedChannelsOf } from '#bot/twitch/channel/watched-channels.ts';
import { createVoice } from '#bot/twitch/chat/chat-voice.ts';
import { openEventChat } from '#bot/twitch/chat/event-chat.ts';
import { startTwitch } from '#bot/twitch/start-twitch.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { second } from '#domain/kernel/time.ts';
import { setCarriers, settled } from '#tests/bot/twitch/chat-carriers-stage.ts';
import { inChat, setChat } from '#tests/bot/twitch/chat-stage.ts';
import { addTwitchPerson, type Stage, until } from '#tests/bot/twitch/stage.ts';
import type { Person } from '#tests/support/fixtures.ts';
import { holdOnce } from '#tests/support/held-once.ts';
import { endLeases, occupyLeases } from '#tests/support/leases.ts';
import { addRaffle, entriesOf } from '#tests/support/raffles.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';

interface Options {
  prepare?: (stage: Stage, streamer: Person) => Promise<void>;
  /** Changes how the bot reads which channels it watches. */
  watched?: (read: ReadWatched) => ReadWatched;
}

/** A chat in which one viewer was answered, and others wait for the next line. */
async function setAsked(
  commands = ['!progress', '!progress'],
  { prepare = async () => {}, watched = (read) => read }: Options = {},
) {
  const chat = await setChat();
  const { stage, streamer, said } = chat;
  await prepare(stage, streamer);
  const bot = await startTwitch(stage.deps, hurriedTwitchPace, watched(watchedChannelsOf(stage.deps.db)));
  onTestFinished(() => bot.stop());
  await inChat(stage, streamer.twitchId);
  const first = await addTwitchPerson(stage);
  const others = await Promise.all(commands.map(async () => addTwitchPerson(stage)));
  await chat.ask(first.twitchId, '!progress');
  for (const [place, { twitchId }] of others.entries())
    stage.world.say(streamer.twitchId, twitchId, commands[place] ?? '');
  await until(
    () => stage.db.read.select().from(seenMessages),
    (taken) => taken.length === 1 + others.length,
  );
  const nameOf = ({ twitchId }: { twitchId: string }) => stage.world.userById(twitchId)?.displayName ?? '';
  return { ...chat, bot, said, names: others.map(nameOf) };
}

test('Whoever waits for a line when the bot is stopped is answered before it leaves', async () => {
  const { bot, said, names } = await setAsked();
  await bot.stop();
  await until(said, (lines) => lines.length === 2);
  for (const name of names) expect(said().at(-1)).toContain(`@${name}`);
});

test('Those who asked different things before a stop are answered in one line, because two are a pause apart', async () => {
  const { bot, said, names } = await setAsked(['!progress', '!watchtime']);
  await bot.stop();
  await until(said, (lines) => lines.length === 2);
  for (const name of names) expect(said().at(-1)).toContain(`@${name}`);
});

test('While the account is in no chat, or another process has it, a line waits instead of being lost', async () => {
  const room = { login: 'demo', channelId: '700', isMade: true };
  const state = { ports: 1, mayAnswer: true };
  const waits: number[] = [];
  const log = pino({ level: 'silent' });
  const voice = createVoice({
    log,
    ports: () => [chat].slice(0, state.ports),
    rooms: () => [room],
    mayAnswer: () => state.mayAnswer,
    beforeLine: async () => {},
    pin: () => {},
    isHeld: () => false,
    isFirst: () => true,
    answer: async ({ channelLogin }, outlet) => {
      for (const changed of [{}, { ports: 0 }, { ports: 1, mayAnswer: false }]) {
        Object.assign(state, changed);
        waits.push(outlet.waitMs(channelLogin));
      }
    },
    takeAnnouncements: async () => [],
    recordFault: async () => {},
  });
  const chat = openEventChat({
    twitchId: '1',
    log,
    send: async () => ({ end: 'sent', messageId: null }),
    mayAnnounce: () => false,
    ...voice.events,
  });
  chat.setRooms([room]);
  const author = { chatter_user_id: '2', chatter_user_name: 'Demo', message_id: 'm1' };
  chat.receive('700', { ...author, message: { text: '!progress' } }, Date.now());
  voice.stop();
  expect(waits.map((ms) => ms > 0)).toEqual([false, true, true]);
});

test('An announcement that is just being taken when the bot is stopped is written before it leaves', async () => {
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let isTaken = false;
  const stage = await setCarriers({
    maxChats: 0,
    takeAnnouncements: async ([channelLogin]) => {
      if (channelLogin === undefined || isTaken) return [];
      isTaken = true;
      await gate;
      return [{ channelLogin, text: 'a win' }];
    },
  });
  const room = stage.addRoom();
  stage.setRooms([room]);
  await until(
    () => isTaken,
    (taken) => taken,
  );
  const stopping = stage.stop();
  goOn();
  await stopping;
  expect(stage.said(room.channelId)).toEqual(['a win']);
});

/** A Twitch that answers chat lines only after some time, and how its answers ended. */
async function slowTwitch(afterMs: number) {
  const asked = holdOnce();
  asked.release();
  const ends: string[] = [];
  const server = createServer((request, response) => {
    if (!request.url?.includes('/chat/messages')) return void response.writeHead(404).end();
    void asked.wait();
    response.on('close', () => void ends.push(response.writableFinished ? 'heard' : 'cut off'));
    const answer = JSON.stringify({ data: [{ message_id: 'line', is_sent: true }] });
    setTimeout(() => response.setHeader('content-type', 'application/json').end(answer), afterMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  process.env.TWURPLE_MOCK_API_PORT = String((server.address() as AddressInfo).port);
  return { isAsked: asked.isReached, ends };
}

test('The answer to a last line is waited for, although Twitch is slow', async () => {
  const stage = await setCarriers({ maxChats: 0, reply: () => 'an answer' });
  const room = stage.addRoom();
  stage.setRooms([room]);
  await settled(stage.chats, 'in 1 of 1 channels');
  const { isAsked, ends } = await slowTwitch(800);
  stage.world.say(room.channelId, stage.world.addUser({ login: 'demo_viewer' }).id, '!progress');
  await isAsked;
  await stage.stop();
  await until(
    () => ends,
    ({ length }) => length > 0,
  );
  expect(ends).toEqual(['heard']);
});

test('A raffle’s keyword that comes during a stop enters, although channels take long and another process has the part', async () => {
  const survey = holdOnce();
  let isSlow = false;
  let raffleId = '';
  const { stage, streamer, bot } = await setAsked(['!progress'], {
    async prepare({ db, clock }, owner) {
      raffleId = await addRaffle(db, owner, {}, clock.now() - second);
    },
    watched: (read) => async () => {
      if (isSlow) await survey.wait();
      return read();
    },
  });
  isSlow = true;
  await survey.isReached;
  await endLeases(stage.db, ['twitch:0']);
  await occupyLeases(stage.db, ['twitch:0']);
  const { twitchId } = await addTwitchPerson(stage);
  const stopped = bot.stop();
  stage.world.say(streamer.twitchId, twitchId, '!redline');
  await until(
    () => entriesOf(stage.db, raffleId),
    (entries) => entries.some((entry) => entry.twitchId === twitchId),
  ).finally(survey.release);
  await stopped;
});
