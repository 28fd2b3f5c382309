import { expect, test } from 'vitest';
import { checkouts, trials } from '#db/schema/billing.ts';
import { day } from '#domain/kernel/time.ts';
import { expireCheckout, openCheckout } from '#domain/subscription/open-checkout.ts';
import { pruneCheckouts } from '#domain/subscription/prune-checkouts.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();

const plan = { product: 'streamer', tier: 'basic', period: 'month' } as const;

async function open(userId: string): Promise<string> {
  const opened = await openCheckout(db, { userId, plan }, START_MS);
  if (!opened.ok) throw new Error(opened.code);
  return opened.checkout.id;
}

const storedIds = async () => (await db.read.select().from(checkouts)).map(({ id }) => id);

test('Checkouts that ended are deleted after ninety days, open ones never; a used trial stays used', async () => {
  const bought = await open(streamer.userId);
  await storeFacts(db, streamer, [subscriptionFacts({ checkoutId: bought, plan })]);
  const left = await open((await addStreamer(db)).userId);
  await expireCheckout(db, left);
  const waiting = await open((await addStreamer(db)).userId);
  await pruneCheckouts(db, START_MS + 90 * day);
  expect((await storedIds()).sort()).toEqual([bought, left, waiting].sort());
  await pruneCheckouts(db, START_MS + 90 * day + 1);
  expect(await storedIds()).toEqual([waiting]);
  const used = await db.read.select().from(trials);
  expect(used.map(({ checkoutId }) => checkoutId).sort()).toEqual([bought, waiting].sort());
});
