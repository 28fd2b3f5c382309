import type Stripe from 'stripe';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe(Date.parse('2026-03-01T00:00:00Z'));
});

afterEach(async () => {
  await stage.close();
});

async function paymentOf(subscription: Stripe.Subscription) {
  const { data } = await stage.stripe.invoicePayments.list({
    invoice: String(subscription.latest_invoice),
    status: 'paid',
  });
  const intent = await stage.stripe.paymentIntents.retrieve(String(data[0]?.payment.payment_intent), {
    expand: ['latest_charge'],
  });
  return { intent, charge: intent.latest_charge as Stripe.Charge };
}

test('A payment is refunded in parts, and no further', async () => {
  const { stripe } = stage;
  const { subscription } = await stage.subscribe();
  const { intent, charge } = await paymentOf(subscription);
  await stripe.refunds.create({ payment_intent: intent.id, amount: 200 });
  expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ amount_refunded: 200, refunded: false });
  expect((await stage.refusal(stripe.refunds.create({ charge: charge.id, amount: 400 }))).param).toBe(
    'amount',
  );
  await stripe.refunds.create({ charge: charge.id });
  expect(await stripe.charges.retrieve(charge.id, { expand: ['refunds'] })).toMatchObject({
    refunded: true,
    refunds: { data: [{ amount: 300 }, { amount: 200 }] },
  });
  expect((await stage.refusal(stripe.refunds.create({ charge: charge.id }))).code).toBe(
    'charge_already_refunded',
  );
  await stage.delivered();
  expect(stage.types().filter((type) => type === 'charge.refunded')).toHaveLength(2);
});

test('A disputed payment is named by an event, and closed by the bank', async () => {
  const { subscription } = await stage.subscribe('4000000000000259');
  const { charge } = await paymentOf(subscription);
  expect(charge.disputed).toBe(true);
  const [dispute] = (await stage.stripe.disputes.list({ charge: charge.id })).data;
  expect(dispute).toMatchObject({
    status: 'needs_response',
    amount: 500,
    payment_intent: charge.payment_intent,
  });
  expect((await stage.refusal(stage.stripe.refunds.create({ charge: charge.id }))).code).toBe(
    'charge_disputed',
  );
  expect(await stage.stripe.disputes.close(String(dispute?.id))).toMatchObject({ status: 'lost' });
  await stage.delivered();
  expect(stage.types()).toEqual(expect.arrayContaining(['charge.dispute.created', 'charge.dispute.closed']));
});

test('A declined renewal is paid on its invoice’s page', async () => {
  const { subscription, customer } = await stage.subscribe();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  stage.advanceDays(32);
  const overdue = await stage.stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  const invoice = overdue.latest_invoice as Stripe.Invoice;
  expect(overdue.status).toBe('past_due');
  const url = String(invoice.hosted_invoice_url);
  expect((await stage.visit(url)).text).toContain('Pay 5.00 EUR');
  expect((await stage.visit(url, { number: '4000000000000341' })).text).toContain('Your card was declined.');
  expect((await stage.visit(url, { card: '4242424242424242' })).status).toBe(303);
  expect((await stage.visit(url)).text).not.toContain('Pay 5.00 EUR');
  expect((await stage.stripe.subscriptions.retrieve(subscription.id)).status).toBe('active');
});

test('A renewal that asks for 3-D Secure is confirmed on its invoice’s page', async () => {
  const { subscription } = await stage.subscribe();
  stage.world.orderPaymentTrouble(String(subscription.customer), { outcome: 'authenticate', times: 1 });
  stage.advanceDays(32);
  const overdue = await stage.stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  const page = await stage.visit(String((overdue.latest_invoice as Stripe.Invoice).hosted_invoice_url));
  const [, path] = /href="(\/challenge\/[^"]+)"/.exec(page.text) ?? [];
  await stage.visit(`${stage.server.url}${path}`, { answer: 'fail' });
  expect((await stage.stripe.subscriptions.retrieve(subscription.id)).status).toBe('past_due');
  await stage.delivered();
  expect(stage.types()).toContain('invoice.payment_action_required');
});

test('An invoice that is charged again by the API records a decline and refuses', async () => {
  const { subscription, customer } = await stage.subscribe();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 2 });
  stage.advanceDays(32);
  const read = () => stage.stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
  const invoice = (await read()).latest_invoice as Stripe.Invoice;
  const refused = await stage.refusal(stage.stripe.invoices.pay(String(invoice.id)));
  expect(refused).toMatchObject({ type: 'StripeCardError', code: 'card_declined' });
  expect(await read()).toMatchObject({ latest_invoice: { attempt_count: 2 } });
  expect(await stage.stripe.invoices.pay(String(invoice.id))).toMatchObject({ status: 'paid' });
  expect((await read()).status).toBe('active');
});

test('A card that asks for 3-D Secure each time fails when nobody is there', async () => {
  const { stripe } = stage;
  const customer = await stripe.customers.create({});
  const price = await stage.monthly();
  const session = await stage.checkout(customer.id, price.id);
  await stage.visit(String(session.url), { card: '4000002760003184' });
  await stage.visit(`${session.url}/challenge`, { answer: 'confirm' });
  stage.advanceDays(32);
  const [subscription] = (await stripe.subscriptions.list({ customer: customer.id })).data;
  expect(subscription?.status).toBe('past_due');
});

test('Cards are attached and detached', async () => {
  const { stripe } = stage;
  const customer = await stripe.customers.create({});
  const card = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id });
  expect((await stripe.customers.listPaymentMethods(customer.id)).data.map(({ id }) => id)).toEqual([
    card.id,
  ]);
  await stripe.paymentMethods.detach(card.id);
  expect((await stripe.paymentMethods.list({ customer: customer.id })).data).toEqual([]);
});

test('An intent is confirmed by redirect, and a declined one is refused', async () => {
  const { stripe } = stage;
  const { subscription, customer } = await stage.subscribe();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 2 });
  stage.advanceDays(32);
  const { latest_invoice: invoice } = await stripe.subscriptions.retrieve(subscription.id);
  const { data } = await stripe.invoicePayments.list({ invoice: String(invoice) });
  const intent = String(data[0]?.payment.payment_intent);
  const card = subscription.default_payment_method as string;
  const declined = await stage.refusal(stripe.paymentIntents.confirm(intent, { payment_method: card }));
  expect(declined).toMatchObject({ statusCode: 402, code: 'card_declined', decline_code: 'generic_decline' });
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'authenticate', times: 1 });
  const waiting = await stripe.paymentIntents.confirm(intent, {
    payment_method: card,
    return_url: 'http://localhost:3000/billing',
  });
  const challenge = String(waiting.next_action?.redirect_to_url?.url);
  const done = await stage.visit(challenge, { answer: 'confirm' });
  expect(done.location).toBe('http://localhost:3000/billing');
  expect((await stripe.paymentIntents.retrieve(intent)).status).toBe('succeeded');
  expect((await stage.refusal(stripe.paymentIntents.confirm(intent))).code).toBe(
    'payment_intent_unexpected_state',
  );
});

test('A challenge leads to no other site than the one it was confirmed for', async () => {
  const { subscription, customer } = await stage.subscribe();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'authenticate', times: 1 });
  stage.advanceDays(32);
  const { latest_invoice: invoice } = await stage.stripe.subscriptions.retrieve(subscription.id);
  const { data } = await stage.stripe.invoicePayments.list({ invoice: String(invoice) });
  const url = `${stage.server.url}/challenge/${data[0]?.payment.payment_intent}?back=https://elsewhere.example/`;
  expect((await stage.visit(url, { answer: 'fail' })).location).toBe('/');
});
