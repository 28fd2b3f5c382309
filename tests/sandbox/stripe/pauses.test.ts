import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe(Date.parse('2026-03-01T00:00:00Z'));
});

afterEach(async () => {
  await stage.close();
});

const statuses = async (id: string) =>
  (await stage.stripe.invoices.list({ subscription: id })).data.map(({ status }) => status);

test.each([
  ['void', 'void'],
  ['keep_as_draft', 'draft'],
  ['mark_uncollectible', 'uncollectible'],
] as const)(
  'While collection is paused by %s the status stays and invoices are %s',
  async (behavior, status) => {
    const { subscription } = await stage.subscribe();
    const paused = await stage.stripe.subscriptions.update(subscription.id, {
      pause_collection: { behavior },
    });
    expect(paused).toMatchObject({ status: 'active', pause_collection: { behavior, resumes_at: null } });
    stage.advanceDays(62);
    expect(await stage.stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' });
    expect(await statuses(subscription.id)).toEqual([status, status, 'paid']);
    await stage.stripe.subscriptions.update(subscription.id, { pause_collection: '' });
    stage.advanceDays(31);
    expect(await statuses(subscription.id)).toEqual(['paid', status, status, 'paid']);
  },
);

test('A pause ends by itself at its time', async () => {
  const { subscription } = await stage.subscribe();
  const resumes_at = Date.parse('2026-04-20T00:00:00Z') / 1000;
  await stage.stripe.subscriptions.update(subscription.id, {
    pause_collection: { behavior: 'void', resumes_at },
  });
  stage.advanceDays(62);
  expect((await stage.stripe.subscriptions.retrieve(subscription.id)).pause_collection).toBeNull();
  expect(await statuses(subscription.id)).toEqual(['paid', 'void', 'paid']);
});

test('A deleted customer still answers, lists its subscriptions, and is refused a checkout', async () => {
  const { stripe } = stage;
  const { subscription, customer, price } = await stage.subscribe();
  await stripe.customers.del(customer.id);
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
  const listed = await stripe.subscriptions.list({ customer: customer.id, status: 'all' });
  expect(listed.data.map(({ id, status }) => [id, status])).toEqual([[subscription.id, 'canceled']]);
  const refused = await stage.refusal(stage.checkout(customer.id, price.id));
  expect(refused).toMatchObject({ statusCode: 400, code: 'resource_missing', param: 'customer' });
  expect(refused.message).toBe(`No such customer: '${customer.id}'`);
});
