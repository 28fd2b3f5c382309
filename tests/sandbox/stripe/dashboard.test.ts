import { afterEach, beforeEach, expect, test } from 'vitest';
import { addItem, chargeExtra, giveDiscount, refundByHand } from '#sandbox/stripe/dashboard.ts';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe(Date.parse('2026-03-01T00:00:00Z'));
});

afterEach(async () => {
  await stage.close();
});

const read = (id: string) => stage.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] });
const paid = async (id: string) =>
  (await stage.stripe.invoices.list({ subscription: id })).data.map(({ amount_paid }) => amount_paid);
const inTransaction = <T>(work: () => T): T => stage.world.transaction(work);

test('A second item is charged with the next invoice, for what is left of the period and for the next one', async () => {
  const { subscription } = await stage.subscribe();
  stage.advanceDays(15.5);
  inTransaction(() => addItem(stage.world, subscription.id, { name: 'Support', amount: 200 }));
  const { items } = await read(subscription.id);
  expect(items.data.map(({ price }) => price.unit_amount)).toEqual([500, 200]);
  expect(await paid(subscription.id)).toEqual([500]);
  stage.advanceDays(16);
  expect(await paid(subscription.id)).toEqual([100 + 500 + 200, 500]);
});

test('A one-off charge comes with the next invoice, or at once with one of its own', async () => {
  const { subscription } = await stage.subscribe();
  const charge = (amount: number, isInvoicedNow: boolean) =>
    inTransaction(() =>
      chargeExtra(stage.world, subscription.id, { description: 'A poster', amount, isInvoicedNow }),
    );
  charge(300, false);
  charge(70, false);
  stage.advanceDays(32);
  expect(await paid(subscription.id)).toEqual([870, 500]);
  charge(250, true);
  expect(await paid(subscription.id)).toEqual([250, 870, 500]);
  const [latest] = (await stage.stripe.invoices.list({ subscription: subscription.id })).data;
  expect(latest).toMatchObject({
    billing_reason: 'manual',
    metadata: null,
    lines: { data: [{ description: 'A poster', parent: { type: 'invoice_item_details' }, pricing: null }] },
  });
});

test('A one-off charge that fails leaves the subscription past due, until its invoice is voided or paid', async () => {
  const { subscription, customer } = await stage.subscribe();
  stage.world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 1 });
  const invoice = inTransaction(() =>
    chargeExtra(stage.world, subscription.id, { description: 'A poster', amount: 250, isInvoicedNow: true }),
  );
  expect(await read(subscription.id)).toMatchObject({
    status: 'past_due',
    latest_invoice: { status: 'open' },
  });
  await stage.stripe.invoices.voidInvoice(String(invoice?.id));
  expect(await read(subscription.id)).toMatchObject({ status: 'active' });
});

test('A discount for one invoice lowers the next one alone; one for ever lowers them all', async () => {
  const { subscription } = await stage.subscribe();
  inTransaction(() => giveDiscount(stage.world, subscription.id, { percent: 40, duration: 'once' }));
  const preview = await stage.stripe.invoices.createPreview({ subscription: subscription.id });
  expect(preview).toMatchObject({ subtotal: 500, total: 300, amount_due: 300 });
  expect(preview.total_discount_amounts).toMatchObject([{ amount: 200 }]);
  stage.advanceDays(62);
  expect(await paid(subscription.id)).toEqual([500, 300, 500]);
  inTransaction(() => giveDiscount(stage.world, subscription.id, { percent: 10, duration: 'forever' }));
  stage.advanceDays(62);
  expect(await paid(subscription.id)).toEqual([450, 450, 500, 300, 500]);
  await stage.stripe.subscriptions.update(subscription.id, { discounts: '' });
  stage.advanceDays(31);
  expect((await paid(subscription.id))[0]).toBe(500);
});

test('A coupon takes off a share or an amount, never more than there is', async () => {
  const { subscription } = await stage.subscribe();
  const coupon = await stage.stripe.coupons.create({ amount_off: 700, currency: 'eur', duration: 'once' });
  await stage.stripe.subscriptions.update(subscription.id, { discounts: [{ coupon: coupon.id }] });
  const preview = await stage.stripe.invoices.createPreview({ subscription: subscription.id });
  expect(preview).toMatchObject({ subtotal: 500, total: 0, amount_due: 0 });
  const both = stage.stripe.coupons.create({ amount_off: 7, percent_off: 7, currency: 'eur' });
  expect((await stage.refusal(both)).statusCode).toBe(400);
});

test('A refund by hand has no metadata', async () => {
  await stage.subscribe();
  const [charge] = stage.world.all('charge');
  const { id } = inTransaction(() => refundByHand(stage.world, String(charge?.id)));
  expect((await stage.stripe.refunds.retrieve(id)).metadata).toBeNull();
});
