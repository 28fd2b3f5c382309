import type Stripe from 'stripe';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

const pays = 'AT611904300234573201';
const fails = 'AT861904300235473202';

beforeEach(async () => {
  stage = await openStripe(Date.parse('2026-03-01T00:00:00Z'));
  stage.world.choose({ debits: true });
});

afterEach(async () => {
  await stage.close();
});

const read = (id: string) => stage.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice.payments'] });
const intentOf = async (invoice: string) => {
  const { data } = await stage.stripe.invoicePayments.list({ invoice });
  return stage.stripe.paymentIntents.retrieve(String(data[0]?.payment.payment_intent));
};
const sessionEvents = () => stage.types().filter((type) => type.startsWith('checkout.session.async'));

test('A debit is under way for days: the invoice is open, the subscription active, the checkout unpaid', async () => {
  const { subscription, session } = await stage.subscribe(pays);
  expect(await read(subscription.id)).toMatchObject({ status: 'active', latest_invoice: { status: 'open' } });
  expect(await stage.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
    status: 'complete',
    payment_status: 'unpaid',
  });
  const intent = await intentOf(String(subscription.latest_invoice));
  expect(intent).toMatchObject({ status: 'processing', payment_method_types: ['sepa_debit'] });
  expect(stage.world.find('charge', String(intent.latest_charge))).toMatchObject({
    status: 'pending',
    paid: false,
    payment_method_details: { type: 'sepa_debit', sepa_debit: { last4: '3201' } },
  });
  const refused = await stage.refusal(stage.stripe.invoices.voidInvoice(String(subscription.latest_invoice)));
  expect(refused.statusCode).toBe(400);
  stage.advanceDays(6.9);
  expect((await intentOf(String(subscription.latest_invoice))).status).toBe('processing');
  stage.advanceDays(0.2);
  expect(await read(subscription.id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } });
  expect(await stage.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({ payment_status: 'paid' });
  await stage.delivered();
  expect(sessionEvents()).toEqual(['checkout.session.async_payment_succeeded']);
});

test('A debit that the bank refuses after days leaves the subscription past due', async () => {
  const { subscription } = await stage.subscribe(fails);
  expect((await read(subscription.id)).status).toBe('active');
  stage.advanceDays(7.1);
  expect(await read(subscription.id)).toMatchObject({
    status: 'past_due',
    latest_invoice: { status: 'open', attempt_count: 1 },
  });
  const intent = await intentOf(String(subscription.latest_invoice));
  expect(intent).toMatchObject({ status: 'requires_payment_method', amount_received: 0 });
  await stage.delivered();
  expect(sessionEvents()).toEqual(['checkout.session.async_payment_failed']);
  expect(stage.types().filter((type) => type === 'invoice.payment_failed')).toHaveLength(1);
});

test('A renewal by debit that fails late is tried again, and recovers', async () => {
  const { subscription, customer } = await stage.subscribe(pays);
  stage.advanceDays(30);
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  stage.advanceDays(1.5);
  expect(await read(subscription.id)).toMatchObject({
    status: 'active',
    latest_invoice: { status: 'open', billing_reason: 'subscription_cycle' },
  });
  stage.advanceDays(7);
  expect(await read(subscription.id)).toMatchObject({ status: 'past_due' });
  stage.advanceDays(10);
  expect(await read(subscription.id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } });
});

test('A pending update is refused to who pays by debit; any other change begins while its debit is under way', async () => {
  const { subscription, price } = await stage.subscribe(pays);
  const pro = await stage.priceOf(price.product, 1500, 'month');
  const change = {
    items: [{ id: String(subscription.items.data[0]?.id), price: pro.id }],
    proration_behavior: 'always_invoice',
  } as const;
  const update = (more: object) =>
    stage.stripe.subscriptions.update(subscription.id, { ...change, items: [...change.items], ...more });
  const refused = await stage.refusal(update({ payment_behavior: 'pending_if_incomplete' }));
  expect(refused).toMatchObject({ statusCode: 400, param: 'payment_behavior' });
  expect(await update({ payment_behavior: 'allow_incomplete' })).toMatchObject({
    status: 'active',
    pending_update: null,
    items: { data: [{ price: { id: pro.id } }] },
  });
  expect(await read(subscription.id)).toMatchObject({ latest_invoice: { status: 'open', amount_due: 1000 } });
});

test('Checkout offers debits where the dashboard has them and the currency fits, if the request allows them', async () => {
  const customer = await stage.stripe.customers.create({});
  const price = await stage.monthly();
  const offered = async (more: Partial<Stripe.Checkout.SessionCreateParams> = {}) =>
    (await stage.checkout(customer.id, price.id, more)).payment_method_types;
  const all = ['card', 'sepa_debit', 'us_bank_account'] as const;
  expect(await offered()).toEqual(['card', 'sepa_debit']);
  expect(await offered({ allowed_payment_method_types: [...all] })).toEqual(['card', 'sepa_debit']);
  const cards = await stage.checkout(customer.id, price.id, { allowed_payment_method_types: ['card'] });
  expect(cards.payment_method_types).toEqual(['card']);
  expect((await stage.visit(String(cards.url))).text).not.toContain(pays);
  expect((await stage.visit(String(cards.url), { card: pays })).status).toBe(402);
  stage.world.choose({ debits: false });
  expect(await offered({ allowed_payment_method_types: [...all] })).toEqual(['card']);
  const none = offered({ allowed_payment_method_types: ['sepa_debit'] });
  expect((await stage.refusal(none)).param).toBe('allowed_payment_method_types');
});

test('A trial that begins with an account to debit is debited when it ends', async () => {
  const { subscription } = await stage.subscribe(fails, { subscription_data: { trial_period_days: 7 } });
  expect(subscription.status).toBe('trialing');
  stage.advanceDays(7.1);
  expect(await read(subscription.id)).toMatchObject({ status: 'active', latest_invoice: { status: 'open' } });
  stage.advanceDays(7);
  expect((await read(subscription.id)).status).toBe('past_due');
});
