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

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, stage.server.url), {
    headers: { authorization: `Bearer ${stage.world.state.secretKey}`, ...headers },
  });

test('A wrong key is refused with 401, and no key too', async () => {
  const refused = await stage.refusal(stage.connect('sk_test_wrongwrongwrong').customers.list());
  expect(refused).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
  expect(refused.message).toBe('Invalid API Key provided: sk_test_***********rong');
  const without = await fetch(new URL('/v1/customers', stage.server.url));
  expect(without.status).toBe(401);
  expect((await without.json()).error.message).toContain('You did not provide an API key.');
});

test('A path that Stripe does not know gets its own 404', async () => {
  const answer = await get('/v1/custom');
  expect(answer.status).toBe(404);
  expect(answer.headers.get('request-id')).toMatch(/^req_\w{14}$/);
  expect((await answer.json()).error).toMatchObject({
    type: 'invalid_request_error',
    message:
      'Unrecognized request URL (GET: /v1/custom). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.',
  });
});

test('What does not exist is named, as a path with 404 and as a parameter with 400', async () => {
  const read = await stage.refusal(stage.stripe.customers.retrieve('cus_none'));
  expect(read).toMatchObject({
    statusCode: 404,
    code: 'resource_missing',
    message: "No such customer: 'cus_none'",
  });
  const used = await stage.refusal(stage.checkout('cus_none', (await stage.monthly()).id));
  expect(used).toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'customer' });
});

test('Unknown, missing and malformed parameters are refused by name', async () => {
  const { stripe } = stage;
  const unknown = await stage.refusal(stripe.customers.create({ emial: 'a@example.com' } as never));
  expect(unknown).toMatchObject({ code: 'parameter_unknown', message: 'Received unknown parameter: emial' });
  const nested = await stage.refusal(
    stripe.prices.create({
      currency: 'eur',
      product: 'x',
      recurring: { interval: 'month', every: 2 } as never,
    }),
  );
  expect(nested.message).toBe('Received unknown parameter: recurring[every]');
  const missing = await stage.refusal(stripe.products.create({} as never));
  expect(missing).toMatchObject({
    code: 'parameter_missing',
    param: 'name',
    message: 'Missing required param: name.',
  });
  const malformed = await stage.refusal(stripe.customers.list({ limit: 'many' as never }));
  expect(malformed).toMatchObject({ code: 'parameter_invalid_integer', message: 'Invalid integer: many' });
});

test('An idempotency key answers the same again, and refuses another request', async () => {
  const { stripe } = stage;
  const once = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
  const again = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
  expect(again.id).toBe(once.id);
  expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect((await stripe.customers.list()).data).toHaveLength(1);
  const other = await stage.refusal(
    stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k1' }),
  );
  expect(other).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
  expect(other).toMatchObject({ statusCode: 400 });
  stage.advanceDays(2);
  const later = await stripe.customers.create({ email: 'b@example.com' }, { idempotencyKey: 'k1' });
  expect(later.id).not.toBe(once.id);
});

test('Refused parameters use up no idempotency key', async () => {
  const { stripe } = stage;
  await stage.refusal(stripe.products.create({} as never, { idempotencyKey: 'k2' }));
  expect((await stripe.products.create({ name: 'Viewer pro' }, { idempotencyKey: 'k2' })).name).toBe(
    'Viewer pro',
  );
});

test('A list has pages, the newest first, and the SDK reads all of them', async () => {
  const { stripe } = stage;
  for (let number = 1; number <= 25; number++) await stripe.customers.create({ name: `Customer ${number}` });
  const first = await stripe.customers.list({ limit: 10 });
  expect(first).toMatchObject({ has_more: true, data: { length: 10, 0: { name: 'Customer 25' } } });
  const next = await stripe.customers.list({ limit: 10, starting_after: String(first.data.at(-1)?.id) });
  expect(next.data[0]?.name).toBe('Customer 15');
  const back = await stripe.customers.list({ limit: 10, ending_before: String(next.data[0]?.id) });
  expect(back.data.map(({ id }) => id)).toEqual(first.data.map(({ id }) => id));
  expect(await stripe.customers.list({ limit: 7 }).autoPagingToArray({ limit: 100 })).toHaveLength(25);
  expect((await stage.refusal(stripe.customers.list({ limit: 101 }))).message).toContain(
    'less than or equal to 100',
  );
});

test('Ids are expanded along paths, four levels deep', async () => {
  const { stripe } = stage;
  const { subscription, customer, price } = await stage.subscribe();
  const read = await stripe.subscriptions.retrieve(subscription.id, {
    expand: ['customer', 'latest_invoice.payments', 'items.data.price.product'],
  });
  expect(read).toMatchObject({
    customer: { id: customer.id },
    items: { data: [{ price: { id: price.id, product: { name: 'Streamer basic' } } }] },
    latest_invoice: { payments: { data: [{ status: 'paid' }] } },
  });
  const listed = await stripe.subscriptions.list({ expand: ['data.latest_invoice.customer'] });
  expect(listed.data[0]?.latest_invoice).toMatchObject({ customer: { id: customer.id } });
  const wrong = await stage.refusal(stripe.subscriptions.list({ expand: ['latest_invoice'] }));
  expect(wrong.message).toBe(
    "This property cannot be expanded (latest_invoice). You may want to try expanding 'data.latest_invoice' instead.",
  );
  const deep = await stage.refusal(
    stripe.invoices.list({ expand: ['data.payments.data.payment.payment_intent'] }),
  );
  expect(deep.message).toContain('You cannot expand more than 4 levels of a property');
});

test('Prices are found by lookup keys, which one price at a time has', async () => {
  const { stripe } = stage;
  const product = await stripe.products.create({ name: 'Streamer pro' });
  const recurring = { interval: 'month' } as const;
  const fields = { product: product.id, currency: 'eur', unit_amount: 900, recurring, lookup_key: 'pro' };
  const first = await stripe.prices.create(fields);
  expect((await stage.refusal(stripe.prices.create(fields))).message).toBe(
    `A price (\`${first.id}\`) already uses that lookup key.`,
  );
  const second = await stripe.prices.create({ ...fields, unit_amount: 1000, transfer_lookup_key: true });
  const found = await stripe.prices.list({ lookup_keys: ['pro'] });
  expect(found.data.map(({ id }) => id)).toEqual([second.id]);
  expect(found.data[0]?.unit_amount_decimal?.toString()).toBe('1000');
  expect((await stripe.prices.retrieve(first.id)).lookup_key).toBeNull();
});

test('Another version of the API is refused', async () => {
  const answer = await get('/v1/customers', { 'stripe-version': '2020-08-27' });
  expect(answer.status).toBe(400);
  expect((await answer.json()).error.message).toContain('Invalid Stripe API version: 2020-08-27');
});

test('A change that is refused half-way leaves nothing behind', async () => {
  const { stripe } = stage;
  const events = (await stripe.events.list({ limit: 100 })).data.length;
  await stage.refusal(
    stripe.prices.create({
      currency: 'eur',
      unit_amount: -1,
      product_data: { name: 'Half-made' },
      recurring: { interval: 'month' },
    }),
  );
  expect((await stripe.products.list()).data).toEqual([]);
  expect((await stripe.events.list({ limit: 100 })).data).toHaveLength(events);
});
