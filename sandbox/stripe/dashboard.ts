import { createPrice } from './catalogue.ts';
import { collectInvoice } from './collect.ts';
import { createCoupon } from './discounts.ts';
import { createInvoice, createItem } from './invoice-items.ts';
import { createRefund } from './refunds.ts';
import type { Invoice, Refund, Subscription } from './stored.ts';
import { updateSubscription } from './subscription-updates.ts';
import type { StripeWorld } from './world.ts';

// Acts of an account's owner on its customers by hand, https://docs.stripe.com/dashboard/basics. What the SDK's types
// allow to have no metadata has none here.

/** A second item on a subscription, charged with the next invoice. */
export function addItem(
  world: StripeWorld,
  id: string,
  given: { name: string; amount: number },
): Subscription {
  const { currency, items } = world.require('subscription', id);
  const interval = items.data[0]?.price.recurring?.interval === 'year' ? 'year' : 'month';
  const price = createPrice(world, {
    currency,
    product_data: { name: given.name },
    recurring: { interval },
    unit_amount: given.amount,
  });
  return updateSubscription(world, id, {
    items: [{ price: price.id }],
    proration_behavior: 'create_prorations',
  });
}

/** A one-off charge: with an invoice of its own, or with the next one. */
export function chargeExtra(
  world: StripeWorld,
  id: string,
  given: { description: string; amount: number; isInvoicedNow: boolean },
): Invoice | null {
  const { currency, customer } = world.require('subscription', id);
  const { amount, description } = given;
  const item = createItem(world, { amount, currency, customer, description, subscription: id });
  world.update('invoiceitem', item.id, { metadata: null });
  if (!given.isInvoicedNow) return null;
  const invoice = createInvoice(world, { customer, subscription: id, auto_advance: true });
  world.update('invoice', invoice.id, { metadata: null });
  return collectInvoice(world, invoice.id, { offSession: true });
}

/** A discount for one invoice, or for all to come. */
export function giveDiscount(
  world: StripeWorld,
  id: string,
  given: { percent: number; duration: 'once' | 'forever' },
): Subscription {
  const coupon = createCoupon(world, { percent_off: given.percent, duration: given.duration });
  world.update('coupon', coupon.id, { metadata: null });
  return updateSubscription(world, id, { discounts: [{ coupon: coupon.id }] });
}

/** Pays a charge back in whole. */
export function refundByHand(world: StripeWorld, chargeId: string): Refund {
  const refund = createRefund(world, { charge: chargeId });
  return world.update('refund', refund.id, { metadata: null });
}
