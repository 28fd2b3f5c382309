import { ApiClient } from '@twurple/api';
import { expect, test, vi } from 'vitest';
import { chatCarrierFor } from '#bot/twitch/chat/plan-chats.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { setChatSettings } from '#domain/channel/set-chat-settings.ts';
import { MAX_IRC_CHATS } from '#domain/chat/count-chats.ts';
import { botScope, ircScopes, streamerScopes, viewerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { hurriedTwitchPace } from '#tests/support/twitch-pace.ts';
import { allChatScopes, setCarriers, settled } from './chat-carriers-stage.ts';
import { setChat } from './chat-stage.ts';
import { addTwitchPerson, clientId, link, setStage, until } from './stage.ts';

test('IRC carries a hundred chats of an account, events more, and IRC again only four fifths', () => {
  const logins = (count: number) => Array.from({ length: count }, (_, index) => `demo_${index}`);
  const one = { login: 'one', isModerator: () => false };
  const counts = [100, 101, 81, 80, 100, 101];
  let carrier = chatCarrierFor([], [one], 'irc', 100);
  const chosen = counts.map((count) => {
    carrier = chatCarrierFor(logins(count), [one], carrier, 100);
    return carrier;
  });
  expect(chosen).toEqual(['irc', 'events', 'events', 'irc', 'irc', 'events']);
  const moderates = { login: 'one', isModerator: (login: string) => login !== 'demo_0' };
  expect(chatCarrierFor(logins(500), [moderates], 'irc', 100)).toBe('irc');
});

test('While chats change their carrier and change back, no command is lost and none is received twice', {
  timeout: 60_000,
}, async () => {
  const { world, chats, received, addRoom, setRooms, inIrc } = await setCarriers({ maxChats: 3 });
  const viewer = world.addUser({ login: 'demo_talker' });
  const rooms = Array.from({ length: 5 }, () => addRoom());
  const lasting = rooms.slice(0, 2);
  setRooms(rooms.slice(0, 3));
  await settled(chats, 'in 3 of 3 channels');
  expect(inIrc(rooms)).toBe(3);
  const spoken: string[] = [];
  const talking = setInterval(() => {
    for (const { channelId } of lasting) spoken.push(world.say(channelId, viewer.id, '!rewards').id);
  }, 10);
  setRooms(rooms);
  await settled(chats, 'in 5 of 5 channels');
  await until(
    () => inIrc(rooms),
    (count) => count === 0,
  );
  expect(spoken.length).toBeGreaterThan(20);
  setRooms(lasting);
  await settled(chats, 'in 2 of 2 channels');
  expect(inIrc(lasting)).toBe(2);
  clearInterval(talking);
  await until(
    () => received.length,
    (count) => count >= spoken.length,
  );
  expect(received.map(({ id }) => id).sort()).toEqual(spoken.sort());
});

test('A chat whose broadcaster does not let the bot in stays in IRC as long as there is room, and is told when there is none', async () => {
  const { world, ours, chats, faults, addRoom, setRooms, inIrc } = await setCarriers({ maxChats: 2 });
  const open = [addRoom(), addRoom()];
  const closed = [addRoom(false), addRoom(false), addRoom(false)];
  setRooms([...open, ...closed]);
  const last = closed[2]?.channelId ?? '';
  await until(
    () => faults.get(last),
    (fault) => fault === 'notAllowed',
  );
  await until(
    () => [inIrc(open), inIrc(closed)],
    ([ofOpen, ofClosed]) => ofOpen === 0 && ofClosed === 2,
  );
  expect(chats.report().detail).toBe(
    'in 4 of 4 channels; 1 chats do not let the bot in: their streamers must allow it or make it a moderator',
  );
  world.tokens.issue({ clientId, userId: last, scopes: [botScope] });
  setRooms([...open, ...closed.slice(0, 2), { ...addedTo(closed[2]), fault: 'notAllowed' }]);
  await settled(chats, 'in 5 of 5 channels');
  await until(
    () => faults.get(last),
    (fault) => fault === null,
  );
  // A ban also ends the bot's subscription.
  world.faults.refuseChat(last, 'msg_banned');
  await until(
    () => faults.get(last),
    (fault) => fault === 'banned',
  );
  expect(world.isModerator(last, ours.id)).toBe(false);
});

const addedTo = (room: { channelId: string; login: string } | undefined) => ({
  channelId: room?.channelId ?? '',
  login: room?.login ?? '',
  allowsBot: true,
});

test('An account without the permissions for events stays in IRC, and the operator is told', async () => {
  const { chats, addRoom, setRooms, inIrc } = await setCarriers({ maxChats: 2, scopes: ircScopes });
  const rooms = [addRoom(), addRoom(), addRoom()];
  setRooms(rooms);
  await settled(
    chats,
    'in 2 of 2 channels; no room for 1 more: connect the chat account again, add one, or make one a moderator',
  );
  expect(inIrc(rooms)).toBe(2);
});

test('The bot answers and announces by events where IRC has no room, and a rename changes nothing', async () => {
  const { stage, streamer, said, ask, connect } = await setChat({ connected: false });
  const { db, world } = stage;
  await connect(allChatScopes);
  await link(stage, streamer, [...viewerScopes, ...streamerScopes, botScope]);
  const settings = { chatLocale: 'en', announcesPromises: true } as const;
  await setChatSettings(db, { userId: streamer.userId, settings }, stage.clock.now());
  const viewer = await addTwitchPerson(stage);
  const bot = await stage.startBot({ conduitFrom: 50, chat: { ...hurriedTwitchPace.chat, maxChats: 0 } });
  await until(
    () => bot.report().chat?.detail,
    (detail) => detail === 'in 1 of 1 channels',
  );
  expect(await ask(viewer.twitchId, '!rewards')).toContain('Ten hours');
  world.rename(streamer.twitchId, 'demo_renamed');
  const stranger = world.addUser({ login: streamer.login });
  expect(await ask(viewer.twitchId, '!watchtime')).toContain('you have watched');
  const { twitchId, login } = viewer;
  await db.transaction(async (tx) => {
    const row = { channelId: streamer.twitchId, twitchId, seconds: 600, nextCheckSeconds: 0 };
    await tx.insert(watchTimes).values(row);
  });
  await addRule(db, streamer, { watchMinutes: 10, watchScope: 'allTime', rewards: 1 });
  await evaluateChannel(db, streamer.twitchId, stage.clock.now());
  await until(said, (lines) => lines.length === 3);
  expect(said().at(-1)?.toLowerCase()).toContain(`@${login}`);
  expect(world.chatLog(stranger.id)).toEqual([]);
});

test('A moderator’s place in IRC stays when the channel is renamed', async () => {
  const { world, ours, chats, addRoom, setRooms } = await setCarriers({ maxChats: 1, scopes: ircScopes });
  const [one, other] = [addRoom(), addRoom()];
  world.addModerator(other.channelId, ours.id);
  setRooms([other]);
  await settled(chats, 'in 1 of 1 channels');
  setRooms([one, other]);
  await settled(chats, 'in 2 of 2 channels');
  const { login } = world.rename(other.channelId, 'demo_renamed');
  setRooms([one, { ...other, login }]);
  expect(chats.report().detail).not.toContain('no room');
  await settled(chats, 'in 2 of 2 channels');
});

test('The hundred-and-first chat is answered, by events', async () => {
  const { world, chats, addRoom, setRooms, said } = await setCarriers({
    stage: await setStage({ pointsPerSecond: 10_000 }),
    maxChats: MAX_IRC_CHATS,
    applicationFor: (authProvider) => new ApiClient({ authProvider, logger: { minLevel: 'critical' } }),
    reply: () => 'an answer',
  });
  const viewer = world.addUser({ login: 'demo_talker' });
  const rooms = Array.from({ length: MAX_IRC_CHATS + 1 }, () => addRoom());
  setRooms(rooms);
  await settled(chats, 'in 101 of 101 channels');
  const { channelId } = rooms.at(-1) ?? { channelId: '' };
  world.say(channelId, viewer.id, '!rewards');
  await until(
    () => said(channelId),
    (lines) => lines.length === 1,
  );
});

test('Until it is known which chats the accounts moderate, nobody is told to let the bot in', async () => {
  const { chats, faults, addRoom, setRooms } = await setCarriers({ maxChats: 2, joinMs: 1000 });
  const closed = [addRoom(false), addRoom(false), addRoom(false)];
  const record = faults.set.bind(faults);
  const recorded = vi.spyOn(faults, 'set').mockImplementation((channelId, fault) => {
    expect.soft(chats.report().detail).toContain('in 2 of 2 channels');
    return record(channelId, fault);
  });
  setRooms(closed);
  await until(
    () => chats.report().detail,
    (detail) => detail?.includes('1 chats do not let the bot in') === true,
  );
  await until(
    () => faults.get(closed[2]?.channelId ?? ''),
    (fault) => fault === 'notAllowed',
  );
  expect(recorded).toHaveBeenCalled();
});

test.each([
  ['IRC', 1],
  ['events', 0],
])('A line that %s brings more than a minute late is no command any more', async (_carrier, maxChats) => {
  const { world, chats, received, addRoom, setRooms } = await setCarriers({ maxChats });
  const viewer = world.addUser({ login: 'demo_talker' });
  const room = addRoom();
  setRooms([room]);
  await settled(chats, 'in 1 of 1 channels');
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - minute - 1);
  const late = world.say(room.channelId, viewer.id, '!rewards');
  clock.mockImplementation(() => now() - minute + 10_000);
  const early = world.say(room.channelId, viewer.id, '!progress');
  clock.mockRestore();
  const last = world.say(room.channelId, viewer.id, '!claim');
  const has = ({ id }: { id: string }) => received.some((message) => message.id === id);
  await until(
    () => has(last),
    (is) => is,
  );
  expect([has(late), has(early)]).toEqual([false, true]);
});
