// Five thousand chats on one conduit, in the sandbox: while their lines come, one of its two shards is killed. Every
// command has to be received, and none twice. Takes about a minute on two cores: the subscriptions are made
// without the product's pace, which would take many minutes.
import { ApiClient } from '@twurple/api';
import { expect, test, vi } from 'vitest';
import { setCarriers } from '../bot/twitch/chat-carriers-stage.ts';
import { setStage, until } from '../bot/twitch/stage.ts';

const CHANNELS = 5_000;
const COMMANDS = 10_000;
const COMMANDS_A_TICK = 20;
const TICK_MS = 10;

test('Five thousand chats lose no command when a shard dies, and bring none twice', async () => {
  const stage = await setStage({ pointsPerSecond: 100_000 });
  const { world, chats, received, addRoom, setRooms } = await setCarriers({
    stage,
    maxChats: 0,
    // Each survey plans every chat.
    surveyMs: 5000,
    applicationFor: (authProvider) => new ApiClient({ authProvider, logger: { minLevel: 'critical' } }),
  });
  const viewer = world.addUser({ login: 'demo_talker' });
  const rooms = Array.from({ length: CHANNELS }, () => addRoom());
  const startedAtMs = Date.now();
  setRooms(rooms);
  await vi.waitFor(() => expect(chats.report().detail).toBe(`in ${CHANNELS} of ${CHANNELS} channels`), {
    timeout: 600_000,
    // The report counts every chat.
    interval: 2000,
  });
  const subscribedMs = Date.now() - startedAtMs;

  const said: string[] = [];
  await new Promise<void>((done) => {
    const talking = setInterval(() => {
      for (let count = 0; count < COMMANDS_A_TICK; count += 1) {
        const room = rooms[(said.length * 7919) % CHANNELS];
        said.push(world.say(room?.channelId ?? '', viewer.id, '!rewards').id);
      }
      if (said.length === COMMANDS / 2) world.faults.strike('eventSubDropShard');
      if (said.length < COMMANDS) return;
      clearInterval(talking);
      done();
    }, TICK_MS);
  });
  await until(
    () => received.length,
    (count) => count >= COMMANDS,
    60_000,
  ).catch(() => {});
  const ids = new Set(received.map(({ id }) => id));
  const found = { lost: said.filter((id) => !ids.has(id)).length, twice: received.length - ids.size };
  console.log(JSON.stringify({ channels: CHANNELS, commands: said.length, subscribedMs, ...found }));
  expect(found).toEqual({ lost: 0, twice: 0 });
});
