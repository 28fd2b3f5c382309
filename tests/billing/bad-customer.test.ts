import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { handleEvents } from '#billing/handle-events.ts';
import { openPortal } from '#billing/open-portal.ts';
import { runRound } from '#billing/run-round.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { mails } from '#db/schema/outbox.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { addStreamer, type Person } from '#tests/support/fixtures.ts';
import {
  alarms,
  atStripe,
  billing,
  customerOf,
  db,
  fetchAgain,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const { signal } = new AbortController();

/** The keys are another account's since: Stripe knows nothing of the customer. */
async function loseCustomer(person: Person): Promise<void> {
  delete stripe.world.state.objects.customer[await customerOf(person)];
}

test('A customer whom Stripe refuses stops the round for nobody else', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.clock.advance(1000);
  // In the trial: nothing was paid for, so a cancellation ends the plan.
  const other = await addStreamer(db);
  await subscribe(other, streamerBasic);
  const [bought] = await atStripe(other);
  await stripe.stripe.subscriptions.cancel(bought?.id ?? '');
  await loseCustomer(streamer);
  stripe.advanceDays(2);
  expect(await runRound(billing, signal)).toBe(true);
  expect(await storedOf(other)).toMatchObject([{ state: 'ended' }]);
  // A key of test mode may have been set by mistake: nothing is ended for it.
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active' }]);
  expect(alarms).toContain('Stripe did not do what was asked');
});

test('A key that may not read events stops the round for nobody', async () => {
  await subscribe(streamer, streamerBasic);
  const [bought] = await atStripe(streamer);
  await stripe.stripe.subscriptions.cancel(bought?.id ?? '');
  stripe.advanceDays(2);
  stripe.world.faults.failNext({ answer: 403, path: '/v1/events', times: 10 });
  expect(await runRound(billing, signal)).toBe(true);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
});

test('What Stripe refuses reaches the operator by mail, once a day for each request', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const refusals = async () => {
    const rows = await db.read.select().from(mails).where(eq(mails.template, 'stripeRefused'));
    return rows.map(({ recipient, values }) => [recipient, values.what, values.why]);
  };
  expect(await refusals()).toEqual([]);
  await loseCustomer(streamer);
  const customer = await customerOf(streamer);
  const first = ['operator@example.org', 'fetch subscriptions', `No such customer: '${customer}'`];
  await fetchAgain(streamer);
  await fetchAgain(streamer);
  expect(await refusals()).toEqual([first]);
  await openPortal(billing, streamer.userId);
  expect((await refusals()).map(([, what]) => what).sort()).toEqual([
    'fetch subscriptions',
    'open the portal',
  ]);
  stripe.advanceDays(1.25);
  await fetchAgain(streamer);
  expect(await refusals()).toHaveLength(3);
});

test('With a live key a customer that Stripe does not know has no plan any more and may buy again', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  await loseCustomer(streamer);
  billing.settings.secretKey = 'sk_live_of_another_account';
  stripe.advanceDays(2);
  expect(await runRound(billing, signal)).toBe(true);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
  expect(await customerOf(streamer)).toBe('');
  expect(await limitsOf(db.read, streamer.userId, billing.now())).toMatchObject({ rules: 1 });
  expect(await subscribe(streamer, streamerBasic)).toMatchObject({ ok: true, end: 'subscribed' });
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }, { state: 'active' }]);
});

test('An event that cannot be handled is tried again later and holds up no other', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  await db.transaction((tx) => tx.delete(stripeEvents));
  const facts = { customerId: await customerOf(streamer), receivedAtMs: Date.now() };
  await db.transaction((tx) =>
    tx.insert(stripeEvents).values([
      { ...facts, id: 'evt_1', type: 'charge.dispute.created', objectId: 'dp_1' },
      { ...facts, id: 'evt_2', type: 'invoice.paid', objectId: 'in_1' },
    ]),
  );
  vi.spyOn(billing.stripe.disputes, 'retrieve').mockRejectedValue(new TypeError('of an unknown shape'));
  expect(await handleEvents(billing, signal)).toBe(1);
  const [first] = await db.read.select().from(stripeEvents).where(eq(stripeEvents.id, 'evt_1'));
  expect(first).toMatchObject({ handledAtMs: null, attempts: 1 });
  expect(alarms).toContain('an event could not be handled');
});
