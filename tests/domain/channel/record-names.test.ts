import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { recordNames } from '#domain/channel/record-names.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addStreamer, type Person } from '#tests/support/fixtures.ts';

let db: Database;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  streamer = await addStreamer(db);
});

const namesOf = async () => {
  const [channel] = await db.read.select().from(channels).where(eq(channels.id, streamer.twitchId));
  return { login: channel?.login, displayName: channel?.displayName };
};
const renamed = { login: 'demo_renamed', displayName: 'Demo_Renamed' };

test('A renamed channel has its new names, once', async () => {
  const names = [
    { twitchId: streamer.twitchId, ...renamed },
    { twitchId: '1', login: 'a', displayName: 'A' },
  ];
  expect(await recordNames(db, names)).toBe(1);
  expect(await namesOf()).toEqual(renamed);
  expect(await recordNames(db, names)).toBe(0);
  expect(await recordNames(db, [])).toBe(0);
});

test('A channel whose owner deleted their account gets no name back', async () => {
  await db.transaction((tx) =>
    tx.update(channels).set({ login: '', displayName: '' }).where(eq(channels.id, streamer.twitchId)),
  );
  expect(await recordNames(db, [{ twitchId: streamer.twitchId, ...renamed }])).toBe(0);
  expect(await namesOf()).toEqual({ login: '', displayName: '' });
});
