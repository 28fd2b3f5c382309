import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe(Date.parse('2026-03-01T00:00:00Z'));
});

afterEach(async () => {
  await stage.close();
});

const invoicesOf = async (id: string) => (await stage.stripe.invoices.list({ subscription: id })).data;

/** A subscription, and a larger plan that waits for a payment. */
async function waiting() {
  const { subscription, price, customer } = await stage.subscribe();
  const pro = await stage.priceOf(price.product, 1500, 'month');
  const upgrade = (amount: string) =>
    stage.stripe.subscriptions.update(subscription.id, {
      items: [{ id: String(subscription.items.data[0]?.id), price: amount }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'pending_if_incomplete',
    });
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  await upgrade(pro.id);
  return { subscription, price, customer, upgrade };
}

test('A pending update that is replaced by another one has its invoice voided', async () => {
  const { subscription, price, customer, upgrade } = await waiting();
  const expert = await stage.priceOf(price.product, 900, 'month');
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  const replaced = await upgrade(expert.id);
  expect(replaced.pending_update?.subscription_items).toMatchObject([{ price: { id: expert.id } }]);
  const invoices = await invoicesOf(subscription.id);
  expect(invoices.map(({ status, amount_due }) => [status, amount_due])).toEqual([
    ['open', 400],
    ['void', 1000],
    ['paid', 500],
  ]);
});

test('A pending update that is followed by one that is paid leaves no open invoice', async () => {
  const { subscription, price, upgrade } = await waiting();
  const expert = await stage.priceOf(price.product, 900, 'month');
  expect(await upgrade(expert.id)).toMatchObject({ pending_update: null, status: 'active' });
  const invoices = await invoicesOf(subscription.id);
  expect(invoices.map(({ status }) => status)).toEqual(['paid', 'void', 'paid']);
});

test('A pending update waits no longer than the period', async () => {
  const { subscription, price, customer } = await stage.subscribe();
  const pro = await stage.priceOf(price.product, 1500, 'month');
  stage.advanceDays(30.5);
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  const updated = await stage.stripe.subscriptions.update(subscription.id, {
    items: [{ id: String(subscription.items.data[0]?.id), price: pro.id }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  });
  expect(updated.pending_update?.expires_at).toBe(Date.parse('2026-04-01T00:00:00Z') / 1000);
});
