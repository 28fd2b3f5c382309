import { afterEach, beforeEach, expect, test } from 'vitest';
import { findCard } from '#sandbox/stripe/cards.ts';
import { createPrice } from '#sandbox/stripe/catalogue.ts';
import { completeSession, createSession } from '#sandbox/stripe/checkout.ts';
import { createCustomer } from '#sandbox/stripe/customers.ts';
import { openTestPanel, type TestPanel } from './test-panel.ts';

let world: TestPanel;

beforeEach(async () => {
  world = await openTestPanel();
});

afterEach(async () => {
  await world.close();
  expect(world.failures).toEqual([]);
});

/** A customer who has paid for a month. */
function subscribe() {
  const { stripe } = world;
  return stripe.transaction(() => {
    const customer = createCustomer(stripe, { name: 'Demo viewer' });
    const price = createPrice(stripe, {
      currency: 'eur',
      unit_amount: 500,
      product_data: { name: 'Viewer basic' },
      recurring: { interval: 'month' },
    });
    const session = createSession(stripe, {
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price: price.id }],
      success_url: 'http://localhost:3000/billing',
    });
    const card = findCard('4242424242424242');
    if (card) completeSession(stripe, session.id, card);
    return customer;
  });
}

test('Nobody has subscribed at first', async () => {
  expect((await world.see('/stripe')).text).toContain('Nobody has subscribed yet.');
});

test('A customer’s next payments are ordered to fail, and called off', async () => {
  const { id } = subscribe();
  const { text } = await world.see('/stripe');
  expect(text).toContain('Viewer basic, 5.00 EUR per month');
  expect(text).toContain('Next payment fails');
  await world.submit(`/stripe/customers/${id}/next-payment`, { outcome: 'declined', times: '2' });
  expect((await world.see('/stripe')).text).toContain('2 payments will be declined.');
  expect(world.stripe.takePaymentTrouble(id)).toBe('declined');
  await world.submit(`/stripe/customers/${id}/next-payment`, { outcome: 'succeeds' });
  expect(world.stripe.takePaymentTrouble(id)).toBeNull();
});

test('A payment is refunded once', async () => {
  subscribe();
  const [charge] = world.stripe.all('charge');
  expect((await world.play(`/stripe/charges/${charge?.id}/refund`)).status).toBe(200);
  expect((await world.see('/stripe')).text).toContain('refunded');
  const again = await world.play(`/stripe/charges/${charge?.id}/refund`);
  expect(again).toMatchObject({
    status: 409,
    body: { message: `Charge ${charge?.id} has already been refunded.` },
  });
});

test('A payment is disputed, and the bank decides', async () => {
  subscribe();
  const [charge] = world.stripe.all('charge');
  const { body } = await world.play(`/stripe/charges/${charge?.id}/dispute`);
  expect((await world.see('/stripe')).text).toContain('disputed, needs response');
  await world.play(`/stripe/disputes/${body.dispute}/close`, { outcome: 'won' });
  expect((await world.read('/stripe.json')).customers[0].charges[0].disputed).toBe(true);
  expect((await world.see('/stripe')).text).toContain('disputed, won');
});

test('A subscription is cancelled from the panel', async () => {
  subscribe();
  const [subscription] = world.stripe.all('subscription');
  await world.submit(`/stripe/subscriptions/${subscription?.id}/cancel`, {});
  expect((await world.read('/stripe.json')).customers[0].subscriptions[0].status).toBe('canceled');
  expect((await world.play('/stripe/subscriptions/sub_none/cancel')).status).toBe(404);
});

test('The account’s owner adds, charges, discounts and pauses by hand', async () => {
  subscribe();
  const read = async () => (await world.read('/stripe.json')).customers[0];
  const { id } = (await read()).subscriptions[0];
  const at = `/stripe/subscriptions/${id}`;
  await world.submit(`${at}/item`, { name: 'Support', amount: '200' });
  await world.submit(`${at}/charge`, { description: 'A poster', amount: '70', invoiced: 'now' });
  await world.submit(`${at}/discount`, { percent: '25', duration: 'forever' });
  await world.submit(`${at}/collection`, { collection: 'keep_as_draft' });
  const { subscriptions, charges } = await read();
  const [subscription] = subscriptions;
  expect(subscription.items.data).toHaveLength(2);
  expect(subscription.discounts).toHaveLength(1);
  expect(subscription.pause_collection).toMatchObject({ behavior: 'keep_as_draft' });
  expect(charges.map(({ amount }: { amount: number }) => amount).sort()).toEqual([500, 70]);
  const { text } = await world.see('/stripe');
  expect(text).toContain('collection paused');
  await world.submit(`${at}/collection`, { collection: 'resume' });
  expect((await read()).subscriptions[0].pause_collection).toBeNull();
});

test('A bank asks about a payment, which can be refunded until it is disputed', async () => {
  subscribe();
  const [charge] = world.stripe.all('charge');
  const { body } = await world.play(`/stripe/charges/${charge?.id}/inquire`);
  expect((await world.see('/stripe')).text).toContain('disputed, warning needs response');
  await world.submit(`/stripe/inquiries/${body.inquiry}/end`, { outcome: 'disputed' });
  expect((await world.see('/stripe')).text).toContain('disputed, needs response');
  expect((await world.play(`/stripe/inquiries/${body.inquiry}/end`, { outcome: 'closed' })).status).toBe(409);
});

test('A deleted customer is gone, and their subscription has ended', async () => {
  const { id } = subscribe();
  await world.submit(`/stripe/customers/${id}/delete`, {});
  expect((await world.read('/stripe.json')).customers).toEqual([]);
  expect(world.stripe.all('subscription').map(({ status }) => status)).toEqual(['canceled']);
  expect((await world.play(`/stripe/customers/${id}/delete`)).status).toBe(404);
});

test('The account’s choices are changed', async () => {
  await world.submit('/stripe/settings', {
    afterRetries: 'unpaid',
    portalCancels: 'cancel_at_period_end',
    debits: 'on',
  });
  expect((await world.read('/stripe.json')).settings).toEqual({
    afterRetries: 'unpaid',
    portalCancels: 'cancel_at_period_end',
    debits: true,
  });
  expect((await world.see('/stripe')).text).toContain('<option value="unpaid" selected>');
});

test('Stripe’s trouble is ordered and called off on its page', async () => {
  await world.submit('/trouble/stripe/requests', {
    answer: 'drop',
    path: '/v1/refunds',
    afterEffect: 'true',
  });
  await world.submit('/trouble/stripe/webhooks', { act: 'duplicate' });
  await world.submit('/trouble/stripe/hold', { act: 'hold' });
  const { text } = await world.see('/trouble');
  expect(text).toContain('Stripe, any /v1/refunds: socket dropped after its effect');
  expect(text).toContain('Stripe, webhooks that come twice');
  expect(text).toContain('Stripe, all webhooks are held');
  await world.submit('/trouble/clear', {});
  expect((await world.read('/trouble.json')).stripe).toEqual({
    requests: [],
    webhooks: { duplicate: 0, late: 0, lost: 0 },
    isHolding: false,
  });
});

test.each([
  ['/trouble/stripe/requests', { answer: '200' }],
  ['/trouble/stripe/webhooks', { act: 'none' }],
  ['/trouble/stripe/hold', {}],
  ['/stripe/settings', { afterRetries: 'never' }],
  ['/stripe/settings', { debits: 'perhaps' }],
  ['/stripe/subscriptions/sub_none/item', { name: 'Support', amount: '0' }],
  ['/stripe/subscriptions/sub_none/discount', { percent: 101, duration: 'once' }],
  ['/stripe/inquiries/dp_none/end', { outcome: 'won' }],
])('%s with %j is refused with a reason', async (url, payload) => {
  const answer = await world.play(url, payload);
  expect(answer.status).toBe(400);
  expect(answer.body.message).toMatch(/\w/);
});
