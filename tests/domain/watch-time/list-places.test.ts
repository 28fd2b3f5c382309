import { expect, test } from 'vitest';
import { minute } from '#domain/kernel/time.ts';
import { listPlaces } from '#domain/watch-time/list-places.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { goLive, goOff, readChatters } from '#tests/support/stream.ts';

test('A viewer is in the live channels in whose last list they stand, since they came there', async () => {
  await using db = await openTestDatabase();
  const ids: string[] = [];
  for (let n = 0; n < 4; n++) {
    const streamer = await addStreamer(db);
    await addRule(db, streamer, { watchMinutes: 100, rewards: 0 });
    await goLive(db, streamer.twitchId);
    ids.push(streamer.twitchId);
  }
  const [long, short, left, ended] = ids as [string, string, string, string];
  const read = (channelId: string, viewers: string[], minutes: number) =>
    readChatters(db, channelId, viewers, START_MS + minutes * minute);
  for (const minutes of [1, 2, 3]) await read(long, ['77', '78'], minutes);
  for (const minutes of [1, 2, 3]) await read(short, minutes === 3 ? ['77'] : ['79'], minutes);
  for (const minutes of [1, 2, 3]) await read(left, minutes < 3 ? ['77'] : [], minutes);
  for (const minutes of [1, 2, 3]) await read(ended, ['77'], minutes);
  await goOff(db, ended, START_MS + 3 * minute);
  const places = await listPlaces(db.read, ['77', '78', '80'], START_MS + 3 * minute);
  const sorted = (id: string) => places.get(id)?.toSorted((one, other) => one.cameAtMs - other.cameAtMs);
  expect(sorted('77')).toEqual([
    { channelId: long, cameAtMs: START_MS },
    { channelId: short, cameAtMs: START_MS + 2 * minute },
  ]);
  expect(sorted('78')).toEqual([{ channelId: long, cameAtMs: START_MS }]);
  expect([places.has('79'), places.has('80')]).toEqual([false, false]);
  expect((await listPlaces(db.read, ['77'], START_MS + 7 * minute)).size).toBe(0);
});
