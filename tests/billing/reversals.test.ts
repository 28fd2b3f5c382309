import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { runRound } from '#billing/run-round.ts';
import { mails } from '#db/schema/outbox.ts';
import {
  atStripe,
  billing,
  customerOf,
  db,
  fetchAgain,
  goodCard,
  handleAll,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const operatorMails = async () =>
  (await db.read.select().from(mails).where(eq(mails.template, 'paymentReversed'))).length;

async function buyAtStripe(customer: string, priceId: string): Promise<string> {
  const session = await stripe.checkout(customer, priceId);
  await stripe.visit(String(session.url), { card: goodCard });
  const { data } = await stripe.stripe.subscriptions.list({ customer, price: priceId });
  return data[0]?.id ?? '';
}

async function refundAll(subscriptionId: string): Promise<void> {
  const { latest_invoice: invoice } = await stripe.stripe.subscriptions.retrieve(subscriptionId);
  const payments = await stripe.stripe.invoicePayments.list({ invoice: String(invoice) });
  await stripe.stripe.refunds.create({ payment_intent: String(payments.data[0]?.payment.payment_intent) });
}

/** A second subscription of the product, which the next fetch finds. */
async function buyTwice(): Promise<void> {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.clock.advance(1000);
  const { data } = await stripe.stripe.prices.list({ lookup_keys: ['keepsake_streamer_pro_month'] });
  await buyAtStripe(await customerOf(streamer), data[0]?.id ?? '');
}

const refundedAmounts = async () => (await stripe.stripe.refunds.list()).data.map(({ amount }) => amount);
const statuses = async () => (await atStripe(streamer)).map(({ status }) => status);

test('A refund of another product of the same account leaves its subscription alone', async () => {
  const { id: stranger } = await stripe.stripe.customers.create({ email: 'stranger@example.org' });
  const foreign = await buyAtStripe(stranger, (await stripe.monthly()).id);
  await refundAll(foreign);
  await handleAll();
  expect((await stripe.stripe.subscriptions.retrieve(foreign)).status).toBe('active');
  expect(await operatorMails()).toBe(0);
});

test('A refund of something else that our customer bought leaves both subscriptions alone', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const price = await stripe.stripe.prices.create({
    product_data: { name: 'Another product' },
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'month' },
  });
  const other = await buyAtStripe(await customerOf(streamer), price.id);
  await refundAll(other);
  await handleAll();
  expect((await stripe.stripe.subscriptions.retrieve(other)).status).toBe('active');
  expect(await operatorMails()).toBe(0);
});

test('A duplicate whose refund is not answered is found again and paid back', async () => {
  await buyTwice();
  stripe.world.faults.failNext({ answer: 503, path: '/v1/refunds', method: 'POST', times: 3 });
  expect(await fetchAgain(streamer)).toEqual({ ok: false, code: 'unavailable' });
  stripe.advanceDays(2);
  expect(await fetchAgain(streamer)).toMatchObject({ ok: true });
  expect(await refundedAmounts()).toEqual([3999]);
  expect(await statuses()).toEqual(['canceled', 'active']);
});

test('A duplicate that was paid back and not cancelled is cancelled later, and notifies nobody', async () => {
  await buyTwice();
  stripe.world.faults.failNext({ answer: 503, path: '/v1/subscriptions', method: 'DELETE', times: 3 });
  expect(await fetchAgain(streamer)).toEqual({ ok: false, code: 'unavailable' });
  expect(await refundedAmounts()).toEqual([3999]);
  // The key of the refund is no longer remembered.
  stripe.advanceDays(2);
  await handleAll();
  expect(await statuses()).toEqual(['canceled', 'active']);
  expect(await refundedAmounts()).toEqual([3999]);
  expect(await operatorMails()).toBe(0);
  expect(await storedOf(streamer)).toContainEqual(
    expect.objectContaining({ ...streamerBasic, state: 'active' }),
  );
});

test('The unpaid invoice of a subscription that ended can no longer be paid', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 100 });
  stripe.advanceDays(31.2);
  await handleAll();
  stripe.advanceDays(7);
  await runRound(billing, new AbortController().signal);
  expect(await statuses()).toEqual(['canceled']);
  const { data } = await stripe.stripe.invoices.list({ customer: await customerOf(streamer) });
  expect(data.map(({ status }) => status)).toEqual(['void', 'paid']);
});
