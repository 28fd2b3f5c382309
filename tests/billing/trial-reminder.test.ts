import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { cancelSubscription } from '#billing/cancel-subscription.ts';
import { runRound } from '#billing/run-round.ts';
import { mails } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import {
  billing,
  daysLater,
  db,
  fetchAgain,
  handleAll,
  setBillingStage,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
} from './stage.ts';

setBillingStage();

const { signal } = new AbortController();
const reminders = async () =>
  (await db.read.select().from(mails).where(eq(mails.template, 'trialEnds'))).map(({ values }) => values);
const expected = {
  product: 'streamer',
  tier: 'basic',
  period: 'month',
  price: '499',
  currency: 'usd',
  endsMs: String(daysLater(7)),
};

test('Three days before a trial ends its owner is told what will be charged and when, once', async () => {
  await subscribe(streamer, streamerBasic);
  stripe.advanceDays(3.9);
  await handleAll();
  await fetchAgain(streamer);
  expect(await reminders()).toEqual([]);
  stripe.advanceDays(0.2);
  await handleAll();
  expect(await reminders()).toMatchObject([expected]);
  stripe.advanceDays(1.1);
  await handleAll();
  await runRound(billing, signal);
  expect(await reminders()).toHaveLength(1);
});

test('The round finds a trial that ends soon if no event came', async () => {
  await subscribe(streamer, streamerBasic);
  stripe.world.faults.failNext({ answer: 403, path: '/v1/events', times: 10 });
  stripe.advanceDays(4.5);
  await runRound(billing, signal);
  expect(await reminders()).toMatchObject([expected]);
});

test('A trial that was cancelled is not mentioned again', async () => {
  await subscribe(streamer, streamerBasic);
  await cancelSubscription(billing, {
    userId: streamer.userId,
    product: 'streamer',
    requestId: newId(START_MS),
  });
  stripe.advanceDays(5);
  await handleAll();
  await runRound(billing, signal);
  expect(await reminders()).toEqual([]);
});
