import { afterEach, beforeEach, expect, test } from 'vitest';
import { CountedChannels } from '#app/services/channels/counted-channels.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { minute } from '#domain/kernel/time.ts';
import { listCounted } from '#domain/watch-time/list-counted.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { setWeb } from './support/web.ts';

await setWeb();

let db: Database;
let channelId: string;
let otherId: string;
const stops: (() => void)[] = [];
beforeEach(async () => {
  db = await database();
  channelId = (await addStreamer(db)).twitchId;
  otherId = (await addStreamer(db)).twitchId;
  for (const id of [channelId, otherId]) await goLive(db, id);
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** The notifications of one page. The first round of a poll only learns the channels' states. */
async function listener(counted: CountedChannels, ids: readonly string[]) {
  const reported: string[] = [];
  stops.push(counted.listen(ids, (id) => reported.push(id)));
  return reported;
}

let nowMs = START_MS;
const count = (id: string) => {
  nowMs += minute;
  return readChatters(db, id, [], nowMs);
};

test('A page is notified when watch time was counted on a channel that it shows, and of no other', async () => {
  const counted = new CountedChannels(database, { pollMs: 5, spreadMs: 0 });
  const [reported, elsewhere] = [await listener(counted, [channelId]), await listener(counted, [otherId])];
  await expect
    .poll(async () => {
      await count(channelId);
      return reported.length;
    })
    .toBeGreaterThan(0);
  expect(new Set(reported)).toEqual(new Set([channelId]));
  expect(elsewhere).toEqual([]);
});

test('A page that is closed is notified of nothing, and the next one is notified again', async () => {
  const counted = new CountedChannels(database, { pollMs: 5, spreadMs: 0 });
  const closed = await listener(counted, [channelId]);
  stops.pop()?.();
  const reported = await listener(counted, [channelId]);
  await expect
    .poll(async () => {
      await count(channelId);
      return reported.length;
    })
    .toBeGreaterThan(0);
  expect(closed).toEqual([]);
});

test('Of the channels that are live, only those that a page shows are read', async () => {
  await count(channelId);
  expect(await listCounted(db, [channelId, 'unknown'])).toEqual([{ channelId, untilMs: nowMs }]);
  expect(await listCounted(db, [])).toEqual([]);
  await recordStream(db, { channelId, stream: null }, nowMs);
  expect(await listCounted(db, [channelId])).toEqual([]);
});
