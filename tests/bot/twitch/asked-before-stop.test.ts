import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createVoice } from '#bot/twitch/chat/chat-voice.ts';
import { openEventChat } from '#bot/twitch/chat/event-chat.ts';
import { startTwitch } from '#bot/twitch/start-twitch.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { setCarriers } from '#tests/bot/twitch/chat-carriers-stage.ts';
import { inChat, setChat } from '#tests/bot/twitch/chat-stage.ts';
import { addTwitchPerson, until } from '#tests/bot/twitch/stage.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';

/** A chat in which one viewer was answered, and two more wait for the next line. */
async function setAsked(commands = ['!progress', '!progress']) {
  const chat = await setChat();
  const { stage, streamer, said } = chat;
  const bot = await startTwitch(stage.deps, hurriedTwitchPace);
  onTestFinished(() => bot.stop());
  await inChat(stage, streamer.twitchId);
  const [first, second, third] = [
    await addTwitchPerson(stage),
    await addTwitchPerson(stage),
    await addTwitchPerson(stage),
  ];
  await chat.ask(first.twitchId, '!progress');
  for (const [place, { twitchId }] of [second, third].entries())
    stage.world.say(streamer.twitchId, twitchId, commands[place] ?? '');
  await until(
    () => stage.db.read.select().from(seenMessages),
    (taken) => taken.length === 3,
  );
  const nameOf = ({ twitchId }: { twitchId: string }) => stage.world.userById(twitchId)?.displayName ?? '';
  return { ...chat, bot, said, names: [second, third].map(nameOf) };
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
