import type Stripe from 'stripe';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { daySeconds, openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe();
});

afterEach(async () => {
  await stage.close();
});

const itemOf = (subscription: Stripe.Subscription) => {
  const [item] = subscription.items.data;
  if (!item) throw new Error('The subscription has no item.');
  return item;
};

test('A customer subscribes by card and pays the first month', async () => {
  const { customer, price, session, subscription } = await stage.subscribe();
  expect(session).toMatchObject({
    status: 'open',
    payment_status: 'unpaid',
    amount_total: 500,
    currency: 'eur',
  });
  expect(subscription).toMatchObject({
    status: 'active',
    customer: customer.id,
    cancel_at_period_end: false,
  });
  const item = itemOf(subscription);
  // From the last day of January to the last of February.
  expect(item).toMatchObject({
    current_period_start: Date.parse('2026-01-31T12:00:00Z') / 1000,
    current_period_end: Date.parse('2026-02-28T12:00:00Z') / 1000,
    price: { id: price.id },
  });
  const read = await stage.stripe.checkout.sessions.retrieve(session.id, {
    expand: ['subscription.latest_invoice.payments', 'line_items', 'customer'],
  });
  expect(read).toMatchObject({
    status: 'complete',
    payment_status: 'paid',
    url: null,
    customer: { id: customer.id, email: 'viewer@example.com' },
    subscription: {
      id: subscription.id,
      latest_invoice: {
        status: 'paid',
        amount_paid: 500,
        billing_reason: 'subscription_create',
        payments: { data: [{ status: 'paid' }] },
      },
    },
    line_items: { data: [{ description: 'Streamer basic', amount_total: 500 }] },
  });
});

test('A trial costs nothing until its end', async () => {
  const { subscription, session } = await stage.subscribe('4242424242424242', {
    subscription_data: { trial_period_days: 14, metadata: { keepsake: 'yes' } },
    client_reference_id: 'user_1',
  });
  const now = stage.world.seconds();
  expect(subscription).toMatchObject({
    status: 'trialing',
    trial_start: now,
    trial_end: now + 14 * daySeconds,
    metadata: { keepsake: 'yes' },
  });
  expect(itemOf(subscription).current_period_end).toBe(now + 14 * daySeconds);
  expect(await stage.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
    payment_status: 'no_payment_required',
    client_reference_id: 'user_1',
    amount_total: 0,
  });
});

test('The page leads back to the product after payment, and knows when it is closed', async () => {
  const customer = await stage.stripe.customers.create({ email: 'a@example.com' });
  const session = await stage.checkout(customer.id, (await stage.monthly()).id);
  const page = await stage.visit(String(session.url));
  expect(page.text).toContain('5.00 EUR');
  expect(page.text).toContain('href="http://localhost:3000/billing"');
  const paid = await stage.visit(String(session.url), { card: '4242424242424242' });
  expect(paid).toMatchObject({
    status: 303,
    location: `http://localhost:3000/billing/return?session=${session.id}`,
  });
  expect((await stage.visit(String(session.url), { card: '4242424242424242' })).text).toContain(
    'You have already paid.',
  );
  expect((await stage.stripe.subscriptions.list({ customer: customer.id })).data).toHaveLength(1);
});

test.each([
  ['4000000000000002', 'Your card was declined.'],
  ['4000000000009995', 'Your card has insufficient funds.'],
  ['4000000000000341', 'Your card was declined.'],
  ['1234', 'Your card number is invalid.'],
])('The card %s is refused and the page stays open', async (number, words) => {
  const customer = await stage.stripe.customers.create({});
  const session = await stage.checkout(customer.id, (await stage.monthly()).id);
  const refused = await stage.visit(String(session.url), { number });
  expect(refused.status).toBe(402);
  expect(refused.text).toContain(words);
  expect((await stage.stripe.checkout.sessions.retrieve(session.id)).status).toBe('open');
  expect((await stage.stripe.subscriptions.list({ customer: customer.id, status: 'all' })).data).toEqual([]);
});

test('A 3-D Secure challenge is failed, then answered', async () => {
  const customer = await stage.stripe.customers.create({});
  const session = await stage.checkout(customer.id, (await stage.monthly()).id);
  const card = { card: '4000002760003184' };
  const challenge = `${session.url}/challenge`;
  expect((await stage.visit(String(session.url), card)).location).toBe(new URL(challenge).pathname);
  const failed = await stage.visit(challenge, { answer: 'fail' });
  expect(failed.text).toContain('We are unable to authenticate your payment method.');
  await stage.visit(String(session.url), card);
  expect((await stage.visit(challenge, { answer: 'confirm' })).status).toBe(303);
  const [subscription] = (await stage.stripe.subscriptions.list({ customer: customer.id })).data;
  expect(subscription?.status).toBe('active');
});

test('An abandoned checkout can be expired, once', async () => {
  const customer = await stage.stripe.customers.create({});
  const session = await stage.checkout(customer.id, (await stage.monthly()).id);
  expect(await stage.stripe.checkout.sessions.expire(session.id)).toMatchObject({
    status: 'expired',
    url: null,
  });
  expect((await stage.visit(String(session.url))).text).toContain('This page has expired.');
  const refused = await stage.refusal(stage.stripe.checkout.sessions.expire(session.id));
  expect(refused.message).toContain('Only Checkout Sessions with a status in ["open"] can be expired.');
});

test('Each event is delivered with a signature that the SDK accepts', async () => {
  await stage.subscribe();
  await stage.delivered();
  expect(stage.types()).toEqual(
    expect.arrayContaining([
      'checkout.session.completed',
      'customer.created',
      'customer.subscription.created',
      'customer.subscription.updated',
      'invoice.paid',
      'payment_intent.succeeded',
    ]),
  );
  const { secret = '' } = stage.endpoint;
  for (const { body, signature, event } of stage.listener.received) {
    expect(stage.stripe.webhooks.constructEvent(body, signature, secret).id).toBe(event.id);
    expect(() => stage.stripe.webhooks.constructEvent(body, signature, 'whsec_other')).toThrow(/signature/);
    expect(event.api_version).toBe(stage.stripe.getConstant('DEFAULT_API_VERSION'));
  }
  const updated = stage.listener.received.find(({ event }) => event.type === 'customer.subscription.updated');
  expect(updated?.event.data.previous_attributes).toEqual({ status: 'incomplete' });
});

test('An event that was not answered with 2xx comes again', async () => {
  stage.listener.answers.push(500, 302, 200);
  await stage.stripe.products.create({ name: 'Streamer pro' });
  await expect.poll(() => stage.types()).toEqual(['product.created']);
  await expect.poll(() => stage.world.state.deliveries[0]?.attempts).toBe(1);
  stage.clock.advance(60_000);
  await expect.poll(() => stage.world.state.deliveries[0]?.attempts).toBe(2);
  stage.clock.advance(5 * 60_000);
  await stage.delivered();
  const ids = stage.listener.received.map(({ event }) => event.id);
  expect(new Set(ids).size).toBe(1);
  expect(ids).toHaveLength(3);
});
