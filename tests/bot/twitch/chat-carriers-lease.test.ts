import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { HELD_MS } from '#bot/leases.ts';
import { takeLeases } from '#domain/bot/take-leases.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';
import { skippableTime } from '#tests/support/passing-time.ts';
import { setCarriers, settled } from './chat-carriers-stage.ts';
import { until } from './stage.ts';

test('No subscription to a chat ends through a second process, new tokens, a lost lease or a restart', {
  timeout: 30_000,
}, async () => {
  const counted = countCalls();
  const { skip } = skippableTime();
  const first = await setCarriers({ maxChats: 0 });
  const { world, db, port } = first;
  const calls = (method: string) => counted(port, method);
  const viewer = world.addUser({ login: 'demo_talker' });
  const rooms = [first.addRoom(), first.addRoom()];
  first.setRooms(rooms);
  await settled(first.chats, 'in 2 of 2 channels');
  // Each chat has its lines, and after those its notices.
  const made = await until(
    () => calls('POST'),
    (count) => count >= 2 * rooms.length,
  );
  const channelId = rooms[0]?.channelId ?? '';
  /** Waits until a process receives commands. */
  const receives = async (one: typeof first) => {
    const before = one.received.length;
    await until(
      () => {
        world.say(channelId, viewer.id, '!rewards');
        return one.received.length > before;
      },
      (is) => is,
    );
  };

  const second = await setCarriers({ maxChats: 0, stage: first });
  second.setRooms(rooms);
  await until(
    () => second.chats.report().detail,
    (detail) => detail === 'another process answers in the chats',
  );
  expect(second.chats.changesCarrier()).toBe(false);
  expect(second.chats.wantedTopics()).toBeNull();
  await receives(first);

  await first.connect();
  // The account notices while these are answered.
  for (let count = 0; count < 20; count += 1) await receives(first);

  const name = `chat:${first.ours.id}` as const;
  await endLeases(db, [name]);
  await takeLeases(db, holderNamed('another'), [name]);
  skip(HELD_MS / 2);
  const topics = await until(
    () => first.chats.wantedTopics(),
    (now) => now?.size !== rooms.length,
  );
  // Not an empty list, which would end the subscriptions that the other process reads.
  expect(topics).toBeNull();
  await endLeases(db, [name]);
  await until(
    () => [first, second].filter(({ chats }) => chats.wantedTopics()?.size === 2).length,
    (holding) => holding === 1,
  );
  const holder = first.chats.wantedTopics() ? first : second;
  await receives(holder);

  await first.stop();
  await second.stop();
  const third = await setCarriers({ maxChats: 0, stage: first });
  third.setRooms(rooms);
  await settled(third.chats, 'in 2 of 2 channels');
  await receives(third);
  expect({ made: calls('POST') - made, ended: calls('DELETE') }).toEqual({ made: 0, ended: 0 });
});

/**
 * Counts the calls to subscriptions that Twitch granted, by port: a file that ran before in this process may still be
 * closing its Twitch, and a refused token is renewed and used again.
 */
function countCalls(): (port: number, method: string) => number {
  const counts = new Map<string, number>();
  const count = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { method = '', url = '', socket } = request;
    if (!url.includes('/eventsub/subscriptions') || response.statusCode >= 300) return;
    const key = `${socket.localPort} ${method}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  const answered = channel('http.server.response.finish');
  answered.subscribe(count);
  onTestFinished(() => answered.unsubscribe(count));
  return (port, method) => counts.get(`${port} ${method}`) ?? 0;
}
