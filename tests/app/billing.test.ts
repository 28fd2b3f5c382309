import { expect, test } from 'vitest';
import { loader } from '#app/routes/billing/billing.tsx';
import { database } from '#app/services/database.server.ts';
import { addBot, addRule, addStreamer } from '#tests/support/fixtures.ts';
import { withoutTable } from './support/broken-store.ts';
import { visitorOf } from './support/signed-in.ts';
import { setWeb } from './support/web.ts';

await setWeb();

test('The page shows what is used of each limit, or that it cannot be read', async () => {
  const db = await database();
  await addBot(db);
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { rewards: 0 });
  const visitor = await visitorOf(streamer.userId);
  const open = () => visitor.call(loader, '/billing');
  expect((await open()).body.usage).toMatchObject({
    rules: 1,
    rewardsThisMonth: 0,
    claimsThisMonth: 0,
    limits: { rules: 100 },
  });
  const { status, body } = await withoutTable('transfers', open);
  expect([status, body.usage]).toEqual([503, null]);
});
