import { expect, test } from 'vitest';
import { setCarriers, settled } from './chat-carriers-stage.ts';
import { type Stage, until } from './stage.ts';

/** As many channels as a conduit needs, in every process. */
const byConduit = { maxChats: 0, conduitFrom: 0 };

test('Each line reaches the process that answers, once, beside one that waits and later takes over', async () => {
  const first = await setCarriers(byConduit);
  const { world } = first;
  const asked = countShardCalls(first);
  const viewer = world.addUser({ login: 'demo_talker' });
  const room = first.addRoom();
  first.setRooms([room]);
  await settled(first.chats, 'in 1 of 1 channels');
  const second = await setCarriers({ ...byConduit, stage: first });
  const lines: string[] = [];
  const taken = () => [...first.received, ...second.received].map(({ text }) => text);
  /** Says one line, and waits until a process takes it. */
  const say = async () => {
    lines.push(`!line${lines.length}`);
    world.say(room.channelId, viewer.id, lines.at(-1) ?? '');
    await until(
      () => taken().length,
      (count) => count >= lines.length,
    );
  };
  await say();

  second.setRooms([room]);
  await until(
    () => second.chats.report().detail,
    (detail) => detail === 'another process answers in the chats',
  );
  expect(second.chats.wantedTopics()).toBeNull();
  // Both look several times who has the shards.
  const looks = asked('GET');
  while (asked('GET') < looks + 40) await say();
  expect(second.received).toEqual([]);
  expect([first, second].map(({ eventCounts }) => eventCounts().areElsewhere)).toEqual([false, true]);

  const moves = asked('PATCH');
  await first.stop();
  await settled(second.chats, 'in 1 of 1 channels');
  await until(
    () => asked('PATCH'),
    (count) => count > moves,
  );
  // It looks again only when Twitch has answered.
  const looksBefore = asked('GET');
  await until(
    () => asked('GET'),
    (count) => count > looksBefore,
  );
  for (let count = 0; count < 10; count += 1) await say();
  expect(taken()).toEqual(lines);
});

/** Counts from now on how often processes ask who has the shards, and take them. */
function countShardCalls({ world }: Pick<Stage, 'world'>): (method: string) => number {
  const calls: string[] = [];
  const take = world.faults.takeRequestFault.bind(world.faults);
  world.faults.takeRequestFault = (method, path) => {
    if (path === '/mock/eventsub/conduits/shards') calls.push(method);
    return take(method, path);
  };
  return (method) => calls.filter((one) => one === method).length;
}
