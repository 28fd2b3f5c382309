import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe(Date.parse('2026-03-01T00:00:00Z'));
});

afterEach(async () => {
  await stage.close();
});

const april = Date.parse('2026-04-01T00:00:00Z') / 1000;

async function openPortal(card?: string) {
  const { stripe } = stage;
  const subscribed = await stage.subscribe(card);
  const { price } = subscribed;
  const pro = await stage.priceOf(price.product, 1500, 'month');
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        proration_behavior: 'always_invoice',
        products: [{ product: String(price.product), prices: [price.id, pro.id] }],
      },
    },
  });
  const session = await stripe.billingPortal.sessions.create({
    customer: subscribed.customer.id,
    configuration: configuration.id,
    return_url: 'http://localhost:3000/billing',
  });
  const fields = { subscription: subscribed.subscription.id };
  const read = () => stripe.subscriptions.retrieve(subscribed.subscription.id);
  return { ...subscribed, pro, configuration, session, fields, read };
}

test('The portal cancels by cancel_at alone, and can go on', async () => {
  const { session, fields, read } = await openPortal();
  expect((await stage.visit(session.url)).text).toContain('Cancel subscription');
  await stage.visit(`${session.url}/cancel`, fields);
  expect(await read()).toMatchObject({ cancel_at: april, cancel_at_period_end: false, status: 'active' });
  const page = await stage.visit(session.url);
  expect(page.text).toContain('Cancels on 2026-04-01');
  expect(page.text).toContain('href="http://localhost:3000/billing"');
  await stage.visit(`${session.url}/resume`, fields);
  expect(await read()).toMatchObject({ cancel_at: null, canceled_at: null });
});

test('An account in the older shape sets cancel_at_period_end', async () => {
  const { session, fields, read } = await openPortal();
  stage.world.choose({ portalCancels: 'cancel_at_period_end' });
  await stage.visit(`${session.url}/cancel`, fields);
  expect(await read()).toMatchObject({ cancel_at: april, cancel_at_period_end: true });
  stage.advanceDays(31);
  expect((await read()).status).toBe('canceled');
});

test('Another plan is paid at once, and a declined card leaves the plan', async () => {
  const { session, fields, read, pro, price, customer } = await openPortal();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  const declined = await stage.visit(`${session.url}/update`, { ...fields, price: pro.id });
  expect(declined.status).toBe(402);
  expect(declined.text).toContain('Your card was declined.');
  expect(await read()).toMatchObject({
    pending_update: null,
    items: { data: [{ price: { id: price.id } }] },
  });
  expect((await stage.visit(`${session.url}/update`, { ...fields, price: pro.id })).status).toBe(303);
  expect((await read()).items.data[0]?.price.id).toBe(pro.id);
});

test('Another plan waits for 3-D Secure', async () => {
  const { session, fields, read, pro, customer } = await openPortal();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'authenticate', times: 1 });
  const { location } = await stage.visit(`${session.url}/update`, { ...fields, price: pro.id });
  expect(location).toMatch(/^\/challenge\/pi_/);
  expect((await stage.visit(`${stage.server.url}${location}`)).text).toContain('Complete authentication');
  const done = await stage.visit(`${stage.server.url}${location}`, { answer: 'confirm' });
  expect(done.location).toBe(`${new URL(session.url).pathname}?done`);
  expect((await read()).items.data[0]?.price.id).toBe(pro.id);
});

test('A new card is used for what comes', async () => {
  const { session, read, customer } = await openPortal();
  expect((await stage.visit(`${session.url}/card`, { number: '4000000000000002' })).text).toContain(
    'Your card was declined.',
  );
  await stage.visit(`${session.url}/card`, { card: '5555555555554444' });
  const method = await stage.stripe.paymentMethods.retrieve(String((await read()).default_payment_method));
  expect(method.card).toMatchObject({ brand: 'mastercard', last4: '4444' });
  expect(await stage.stripe.customers.retrieve(customer.id)).toMatchObject({
    invoice_settings: { default_payment_method: method.id },
  });
});

test('A link to one task leads back when it is done', async () => {
  const { configuration, customer, subscription, fields, read } = await openPortal();
  const session = await stage.stripe.billingPortal.sessions.create({
    customer: customer.id,
    configuration: configuration.id,
    flow_data: {
      type: 'subscription_cancel',
      subscription_cancel: { subscription: subscription.id },
      after_completion: {
        type: 'redirect',
        redirect: { return_url: 'http://localhost:3000/billing?cancelled' },
      },
    },
  });
  expect((await stage.visit(session.url)).text).toContain('Cancel your subscription');
  const done = await stage.visit(`${session.url}/cancel`, fields);
  expect(done.location).toBe('http://localhost:3000/billing?cancelled');
  expect((await read()).cancel_at).toBe(april);
});

test('A feature that is off is not offered, and a stranger’s subscription not touched', async () => {
  const { configuration, session, fields } = await openPortal();
  const stranger = await stage.subscribe();
  const foreign = await stage.visit(`${session.url}/cancel`, { subscription: stranger.subscription.id });
  expect(foreign.status).toBe(404);
  await stage.stripe.billingPortal.configurations.update(configuration.id, {
    features: { subscription_cancel: { enabled: false } },
  });
  expect((await stage.visit(session.url)).text).not.toContain('Cancel subscription');
  expect((await stage.visit(`${session.url}/cancel`, fields)).status).toBe(404);
});

test('Without a configuration there is no portal', async () => {
  const customer = await stage.stripe.customers.create({});
  const refused = await stage.refusal(stage.stripe.billingPortal.sessions.create({ customer: customer.id }));
  expect(refused.message).toContain('No configuration provided');
});
