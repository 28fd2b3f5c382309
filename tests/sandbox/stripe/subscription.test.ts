import type Stripe from 'stripe';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { daySeconds, openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  // The first of a month, so that its days are not moved.
  stage = await openStripe(Date.parse('2026-03-01T00:00:00Z'));
});

afterEach(async () => {
  await stage.close();
});

const itemOf = (subscription: Stripe.Subscription) => {
  const [item] = subscription.items.data;
  if (!item) throw new Error('The subscription has no item.');
  return item;
};
const seconds = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;
const read = (id: string) => stage.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
const invoicesOf = async (id: string) => (await stage.stripe.invoices.list({ subscription: id })).data;

test('Each month is charged an hour after it began', async () => {
  const { subscription } = await stage.subscribe();
  stage.advanceDays(31);
  expect(itemOf(await read(subscription.id))).toMatchObject({
    current_period_start: seconds('2026-04-01'),
    current_period_end: seconds('2026-05-01'),
  });
  expect((await read(subscription.id)).latest_invoice).toMatchObject({
    status: 'draft',
    billing_reason: 'subscription_cycle',
  });
  stage.clock.advance(3_600_000);
  expect((await read(subscription.id)).latest_invoice).toMatchObject({ status: 'paid', amount_paid: 500 });
  stage.advanceDays(100);
  expect(await invoicesOf(subscription.id)).toHaveLength(5);
});

test('A trial is announced three days before its end, and then charged', async () => {
  const { subscription } = await stage.subscribe('4242424242424242', {
    subscription_data: { trial_period_days: 14 },
  });
  stage.advanceDays(11);
  await stage.delivered();
  expect(stage.types().filter((type) => type === 'customer.subscription.trial_will_end')).toHaveLength(1);
  stage.advanceDays(4);
  expect(await read(subscription.id)).toMatchObject({
    status: 'active',
    latest_invoice: { status: 'paid', amount_paid: 500 },
  });
  await stage.delivered();
  expect(stage.types().filter((type) => type === 'customer.subscription.trial_will_end')).toHaveLength(1);
});

test('A failed renewal is tried again, and recovers', async () => {
  const { subscription, customer } = await stage.subscribe();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 2 });
  stage.advanceDays(32);
  expect(await read(subscription.id)).toMatchObject({
    status: 'past_due',
    latest_invoice: { status: 'open', attempt_count: 1 },
  });
  stage.advanceDays(3);
  expect(await read(subscription.id)).toMatchObject({
    status: 'past_due',
    latest_invoice: { attempt_count: 2 },
  });
  stage.advanceDays(5);
  expect(await read(subscription.id)).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } });
  await stage.delivered();
  expect(stage.types().filter((type) => type === 'invoice.payment_failed')).toHaveLength(2);
});

test.each([
  ['cancel', 'canceled'],
  ['unpaid', 'unpaid'],
  ['past_due', 'past_due'],
] as const)('After the last attempt the account’s choice is %s', async (afterRetries, status) => {
  stage.world.choose({ afterRetries });
  const { subscription, customer } = await stage.subscribe();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 100 });
  stage.advanceDays(48);
  const ended = await read(subscription.id);
  expect(ended.status).toBe(status);
  if (status === 'canceled') {
    expect(ended.cancellation_details?.reason).toBe('payment_failed');
    expect(ended.ended_at).not.toBeNull();
  }
});

test('An upgrade charges exactly what the preview of the same second said', async () => {
  const { subscription, price } = await stage.subscribe();
  const pro = await stage.priceOf(price.product, 1500, 'month');
  stage.advanceDays(10);
  const proration_date = stage.world.seconds();
  const items = [{ id: itemOf(subscription).id, price: pro.id }];
  const preview = await stage.stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: { items, proration_behavior: 'always_invoice', proration_date },
  });
  expect(preview.lines.data.map(({ amount }) => amount)).toEqual([-339, 1016]);
  expect(preview).toMatchObject({ amount_due: 677, billing_reason: 'upcoming' });
  expect(await invoicesOf(subscription.id)).toHaveLength(1);
  stage.clock.advance(120_000);
  const upgraded = await stage.stripe.subscriptions.update(subscription.id, {
    items,
    proration_behavior: 'always_invoice',
    proration_date,
    payment_behavior: 'pending_if_incomplete',
    expand: ['latest_invoice'],
  });
  expect(upgraded).toMatchObject({
    status: 'active',
    pending_update: null,
    latest_invoice: { status: 'paid', amount_paid: 677, billing_reason: 'subscription_update' },
  });
  expect(itemOf(upgraded)).toMatchObject({
    price: { id: pro.id },
    current_period_end: seconds('2026-04-01'),
  });
});

test('A yearly plan begins a new period at once, less what was paid', async () => {
  const { subscription, price } = await stage.subscribe();
  const yearly = await stage.priceOf(price.product, 5000, 'year');
  stage.advanceDays(10);
  const items = [{ id: itemOf(subscription).id, price: yearly.id }];
  const preview = await stage.stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: { items, proration_behavior: 'always_invoice' },
  });
  const changed = await stage.stripe.subscriptions.update(subscription.id, {
    items,
    proration_behavior: 'always_invoice',
    expand: ['latest_invoice'],
  });
  expect(changed.latest_invoice).toMatchObject({ amount_paid: 5000 - 339, total: preview.total });
  expect(itemOf(changed)).toMatchObject({
    current_period_start: seconds('2026-03-11'),
    current_period_end: seconds('2027-03-11'),
  });
});

test('An upgrade that asks for 3-D Secure waits, and is applied once it is paid', async () => {
  const { subscription, price, customer } = await stage.subscribe();
  const pro = await stage.priceOf(price.product, 1500, 'month');
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'authenticate', times: 1 });
  const update = {
    items: [{ id: itemOf(subscription).id, price: pro.id }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
    expand: ['latest_invoice.confirmation_secret', 'latest_invoice.payments'],
  } as const;
  const waiting = await stage.stripe.subscriptions.update(subscription.id, {
    ...update,
    items: [...update.items],
    expand: [...update.expand],
  });
  const invoice = waiting.latest_invoice as Stripe.Invoice;
  expect(waiting).toMatchObject({
    status: 'active',
    pending_update: {
      expires_at: stage.world.seconds() + 23 * 3600,
      subscription_items: [{ price: { id: pro.id } }],
    },
  });
  expect(itemOf(waiting).price.id).toBe(price.id);
  expect(invoice.confirmation_secret?.client_secret).toMatch(/^pi_\w+_secret_\w+$/);
  const intent = String(invoice.payments?.data[0]?.payment.payment_intent);
  await stage.visit(`${stage.server.url}/challenge/${intent}?back=/i/${invoice.id}`, { answer: 'confirm' });
  const applied = await read(subscription.id);
  expect(applied).toMatchObject({ pending_update: null, latest_invoice: { status: 'paid' } });
  expect(itemOf(applied).price.id).toBe(pro.id);
  await stage.delivered();
  expect(stage.types()).toContain('customer.subscription.pending_update_applied');
});

test('A pending update that nobody pays for ends after 23 hours', async () => {
  const { subscription, price, customer } = await stage.subscribe();
  const pro = await stage.priceOf(price.product, 1500, 'month');
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  await stage.stripe.subscriptions.update(subscription.id, {
    items: [{ id: itemOf(subscription).id, price: pro.id }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  });
  stage.clock.advance(23 * 3_600_000);
  const ended = await read(subscription.id);
  expect(ended).toMatchObject({ status: 'active', pending_update: null, latest_invoice: { status: 'void' } });
  expect(itemOf(ended).price.id).toBe(price.id);
  const refused = await stage.refusal(
    stage.stripe.subscriptions.update(subscription.id, {
      metadata: { a: 'b' },
      payment_behavior: 'pending_if_incomplete',
    }),
  );
  expect(refused.param).toBe('metadata');
});

test('With error_if_incomplete a declined card changes nothing', async () => {
  const { subscription, price, customer } = await stage.subscribe();
  const pro = await stage.priceOf(price.product, 1500, 'month');
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  const refused = await stage.refusal(
    stage.stripe.subscriptions.update(subscription.id, {
      items: [{ id: itemOf(subscription).id, price: pro.id }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    }),
  );
  expect(refused).toMatchObject({ type: 'StripeCardError', statusCode: 402, code: 'card_declined' });
  expect(itemOf(await read(subscription.id)).price.id).toBe(price.id);
  expect(await invoicesOf(subscription.id)).toHaveLength(1);
});

test('A downgrade by schedule comes with the next period', async () => {
  const { stripe } = stage;
  const { subscription, price } = await stage.subscribe('4242424242424242', {}, 1500);
  const basic = await stage.priceOf(price.product, 500, 'month');
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  const [phase] = schedule.phases;
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: 'release',
    phases: [
      { items: [{ price: price.id }], start_date: phase?.start_date ?? 0, end_date: phase?.end_date ?? 0 },
      { items: [{ price: basic.id }], proration_behavior: 'none' },
    ],
  });
  const listed = await stripe.subscriptions.list({ expand: ['data.schedule'] });
  expect(listed.data[0]?.schedule).toMatchObject({ phases: [{}, { items: [{ price: basic.id }] }] });
  const managed = await stage.refusal(
    stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true }),
  );
  expect(managed.message).toContain(`managed by the subscription schedule \`${schedule.id}\``);
  stage.advanceDays(32);
  const lowered = await read(subscription.id);
  expect(itemOf(lowered).price.id).toBe(basic.id);
  expect(lowered.latest_invoice).toMatchObject({ status: 'paid', amount_paid: 500 });
  stage.advanceDays(31);
  expect(await stripe.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({ status: 'released' });
  expect(await read(subscription.id)).toMatchObject({ status: 'active', schedule: null });
});

test('A schedule that is released leaves the plan as it is', async () => {
  const { subscription } = await stage.subscribe();
  const schedule = await stage.stripe.subscriptionSchedules.create({ from_subscription: subscription.id });
  expect(await stage.stripe.subscriptionSchedules.release(schedule.id)).toMatchObject({
    status: 'released',
    released_subscription: subscription.id,
  });
  expect((await read(subscription.id)).schedule).toBeNull();
});

test('A cancellation at the end of the period can be undone, or ends it', async () => {
  const { stripe } = stage;
  const { subscription } = await stage.subscribe();
  const ending = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  expect(ending).toMatchObject({
    cancel_at_period_end: true,
    cancel_at: seconds('2026-04-01'),
    status: 'active',
  });
  const goesOn = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false });
  expect(goesOn).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });
  await stripe.subscriptions.update(subscription.id, { cancel_at: 'min_period_end' });
  stage.advanceDays(31);
  expect(await read(subscription.id)).toMatchObject({ status: 'canceled', ended_at: seconds('2026-04-01') });
  expect(await invoicesOf(subscription.id)).toHaveLength(1);
  expect((await stripe.subscriptions.list({ customer: String(subscription.customer) })).data).toEqual([]);
  expect((await stripe.subscriptions.list({ status: 'all' })).data).toHaveLength(1);
});

test('An immediate cancellation happens once', async () => {
  const { stripe } = stage;
  const { subscription } = await stage.subscribe();
  const ended = await stripe.subscriptions.cancel(subscription.id, { prorate: false, invoice_now: false });
  expect(ended).toMatchObject({
    status: 'canceled',
    cancellation_details: { reason: 'cancellation_requested' },
  });
  expect((await stage.refusal(stripe.subscriptions.cancel(subscription.id))).code).toBe('resource_missing');
});

test('A deleted customer’s subscriptions end', async () => {
  const { stripe } = stage;
  const { subscription, customer } = await stage.subscribe();
  expect(await stripe.customers.del(customer.id)).toEqual({
    id: customer.id,
    object: 'customer',
    deleted: true,
  });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
  expect((await read(subscription.id)).status).toBe('canceled');
});

test('A preview of the next invoice says what the coming period costs', async () => {
  const { subscription } = await stage.subscribe();
  const preview = await stage.stripe.invoices.createPreview({ subscription: subscription.id });
  expect(preview).toMatchObject({ total: 500, period_start: seconds('2026-04-01') });
  await stage.stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  const none = await stage.refusal(stage.stripe.invoices.createPreview({ subscription: subscription.id }));
  expect(none).toMatchObject({ statusCode: 404, code: 'invoice_upcoming_none' });
});

test('A lowered price leaves a credit that the next invoice uses', async () => {
  const { subscription, price, customer } = await stage.subscribe('4242424242424242', {}, 3100);
  const basic = await stage.priceOf(price.product, 310, 'month');
  await stage.stripe.subscriptions.update(subscription.id, {
    items: [{ id: itemOf(subscription).id, price: basic.id }],
    proration_behavior: 'always_invoice',
  });
  expect(await stage.stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -2790 });
  stage.advanceDays(32);
  expect((await read(subscription.id)).latest_invoice).toMatchObject({
    total: 310,
    amount_due: 0,
    status: 'paid',
    starting_balance: -2790,
    ending_balance: -2480,
  });
});

test('An incomplete subscription expires after 23 hours', async () => {
  const { stripe } = stage;
  const customer = await stripe.customers.create({});
  const price = await stage.monthly();
  const created = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: price.id }],
    payment_behavior: 'default_incomplete',
  });
  expect(created.status).toBe('incomplete');
  stage.clock.advance(daySeconds * 1000);
  expect((await read(created.id)).status).toBe('incomplete_expired');
});
