import { expect, test } from 'vitest';
import { loader } from '#app/routes/billing/billing.tsx';
import { loader as cancelLoader } from '#app/routes/billing/cancel.tsx';
import { database } from '#app/services/database.server.ts';
import { day } from '#domain/kernel/time.ts';
import { nothingPaid } from '#domain/subscription/paid-until.ts';
import { addBot, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';
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

test.each([
  ['the year that is paid', true],
  ['nothing that is paid', false],
])('Before an overdue subscription is cancelled the page says that %s goes on', async (_, isPaid) => {
  const db = await database();
  const streamer = await addStreamer(db);
  const endMs = START_MS + 365 * day;
  const plan = { product: 'streamer', tier: 'basic', period: 'year' } as const;
  const paid = isPaid ? { ...nothingPaid, coverage: { untilMs: endMs, plan } } : nothingPaid;
  const facts = subscriptionFacts({ status: 'past_due', plan, periodEndMs: endMs, paid });
  await storeFacts(db, streamer, [facts]);
  const visitor = await visitorOf(streamer.userId);
  const { body } = await visitor.call(cancelLoader, '/billing/cancel?product=streamer');
  expect(body.untilMs).toBe(isPaid ? endMs : null);
});
