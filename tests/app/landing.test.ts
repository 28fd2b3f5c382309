import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { loader } from '#app/routes/landing/landing.tsx';
import { database } from '#app/services/database.server.ts';
import { channels } from '#db/schema/channel.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { addBot, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { withoutTable } from './support/broken-store.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();

const open = async () => (await new Visitor().call(loader, '/')).body;

test('The landing page features at most three channels, those online first, and none that hides', async () => {
  const db = await database();
  expect(await open()).toMatchObject({
    featured: { channels: [] },
    limits: { rules: 100, rewardsPerMonth: 5000 },
  });
  await addBot(db);
  const streamers = [];
  for (let each = 0; each < 5; each++) streamers.push(await addStreamer(db));
  for (const streamer of streamers) await addRule(db, streamer, { rewards: 1 });
  const [hidden, , , , live] = streamers;
  await setChannelHidden(db, { userId: hidden?.userId ?? '', hidden: true }, START_MS);
  await db.transaction(async (tx) => {
    await tx
      .update(channels)
      .set({ live: true })
      .where(eq(channels.id, live?.twitchId ?? ''));
  });
  const { channels: featured } = (await open()).featured;
  expect(featured).toHaveLength(3);
  expect(featured?.[0]).toMatchObject({ id: live?.twitchId, live: true, freeRewards: 1 });
  expect(featured?.map(({ id }: { id: string }) => id)).not.toContain(hidden?.twitchId);
});

test('When channels cannot be read, the landing page stands without them', async () => {
  expect(await withoutTable('channels', open)).toMatchObject({ featured: null, limits: { rules: 100 } });
});
