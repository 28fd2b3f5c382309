import Stripe from 'stripe';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe();
});

afterEach(async () => {
  await stage.close();
});

const create = (name: string) => stage.stripe.products.create({ name });
const names = () => stage.listener.received.map(({ event }) => (event.data.object as Stripe.Product).name);

test('A request fails before its effect, and nothing happened', async () => {
  stage.world.faults.failNext({ answer: 503, path: '/v1/customers', method: 'POST' });
  const refused = await stage.refusal(stage.stripe.customers.create({}));
  expect(refused).toBeInstanceOf(Stripe.errors.StripeAPIError);
  expect((await stage.stripe.customers.list()).data).toEqual([]);
});

test('An answer that is lost after the effect is repeated for the same key', async () => {
  stage.world.faults.failNext({ answer: 'drop', path: '/v1/customers', afterEffect: true, times: 2 });
  // The SDK itself repeats once after a closed connection.
  const lost = await stage.refusal(stage.stripe.customers.create({}, { idempotencyKey: 'k' }));
  expect(lost).toBeInstanceOf(Stripe.errors.StripeConnectionError);
  const again = await stage.stripe.customers.create({}, { idempotencyKey: 'k' });
  expect((await stage.stripe.customers.list()).data.map(({ id }) => id)).toEqual([again.id]);
});

test('A 500 in place of the effect is repeated for its key until it is a day old, and another key is free', async () => {
  stage.world.faults.failNext({ answer: 500, path: '/v1/customers', method: 'POST' });
  const ask = (idempotencyKey: string) => stage.stripe.customers.create({}, { idempotencyKey });
  for (let asked = 0; asked < 2; asked++)
    expect(await stage.refusal(ask('k'))).toMatchObject({ statusCode: 500, type: 'StripeAPIError' });
  expect((await stage.stripe.customers.list()).data).toEqual([]);
  const made = await ask('another');
  stage.advanceDays(1.01);
  const later = await ask('k');
  expect((await stage.stripe.customers.list()).data.map(({ id }) => id).sort()).toEqual(
    [made.id, later.id].sort(),
  );
});

test.each([
  [429, 'rate_limit'],
  [409, 'idempotency_key_in_use'],
])('Status %i comes with the code %s', async (answer, code) => {
  stage.world.faults.failNext({ answer });
  expect(await stage.refusal(stage.stripe.prices.list())).toMatchObject({ statusCode: answer, code });
});

test('The SDK repeats a request that failed, under one key', async () => {
  const { hostname, port } = new URL(stage.server.url);
  const patient = new Stripe(stage.world.state.secretKey, {
    host: hostname,
    port,
    protocol: 'http',
    maxNetworkRetries: 2,
  });
  stage.world.faults.failNext({ answer: 500, path: '/v1/customers', afterEffect: true });
  await patient.customers.create({ name: 'Once' });
  expect((await stage.stripe.customers.list()).data).toHaveLength(1);
});

test('A webhook comes twice with the same id', async () => {
  stage.world.faults.spoilNextWebhooks('duplicate');
  await create('A');
  await stage.delivered();
  expect(names()).toEqual(['A', 'A']);
  expect(new Set(stage.listener.received.map(({ event }) => event.id)).size).toBe(1);
});

test('A webhook comes after the one that follows it', async () => {
  stage.world.faults.spoilNextWebhooks('late');
  await create('A');
  await create('B');
  await stage.delivered();
  expect(names()).toEqual(['B', 'A']);
});

test('A lost webhook never comes, and its event can be read', async () => {
  stage.world.faults.spoilNextWebhooks('lost');
  await create('A');
  await create('B');
  await stage.delivered();
  expect(names()).toEqual(['B']);
  const events = await stage.stripe.events.list({ type: 'product.created' });
  expect(events.data.map(({ pending_webhooks: pending }) => pending)).toEqual([0, 1]);
});

test('Held webhooks are released in reverse', async () => {
  stage.world.faults.holdWebhooks();
  for (const name of ['A', 'B', 'C']) await create(name);
  expect(names()).toEqual([]);
  stage.world.faults.releaseWebhooks(true);
  await stage.delivered();
  expect(names()).toEqual(['C', 'B', 'A']);
});

test('A thousand webhooks in a burst all arrive once', async () => {
  stage.world.transaction(() => {
    for (let number = 0; number < 1000; number++)
      stage.world.emit('product.updated', { id: `prod_${number}` });
  });
  await stage.delivered();
  expect(new Set(stage.listener.received.map(({ event }) => event.id)).size).toBe(1000);
});

test('A disabled endpoint gets nothing', async () => {
  await stage.stripe.webhookEndpoints.update(stage.endpoint.id, { disabled: true });
  await create('A');
  await stage.delivered();
  expect(names()).toEqual([]);
});
