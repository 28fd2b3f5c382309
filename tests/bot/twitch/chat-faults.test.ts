import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { trackFaults } from '#bot/twitch/chat/chat-faults.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';
import { second } from '#domain/time.ts';
import { inChat, setChat } from './chat-stage.ts';
import { addTwitchPerson, until } from './stage.ts';

test('A chat that bans the bot is left, its streamer is told why, and a ban that ended is noticed', async () => {
  const { stage, streamer, said, ask } = await setChat();
  const { twitchId: channelId } = streamer;
  const viewer = await addTwitchPerson(stage);
  const faultOf = async () => (await getChatSettings(stage.database.read, channelId))?.chatFault;
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
  const faultOf = async () => (await getChatSettings(stage.database.read, channelId))?.chatFault;
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
