import type Stripe from 'stripe';
import { type List, listOfAll } from './lists.ts';
import type { Stored } from './stored.ts';
import { nameOfPrice } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

/** The line items of a checkout, which Stripe sends only when asked for. */
export function lineItemsOf(world: StripeWorld, sessionId: string): List<Stored<Stripe.LineItem>> {
  const plan = world.state.checkouts[sessionId];
  const isTrial = Boolean(plan?.trialDays ?? plan?.trialEnd);
  const lines = (plan?.items ?? []).map(({ price: id, quantity }, index): Stored<Stripe.LineItem> => {
    const price = world.require('price', id);
    const amount = (price.unit_amount ?? 0) * quantity;
    return {
      id: `li_${sessionId.slice(8, 30)}${index}`,
      object: 'item',
      adjustable_quantity: null,
      amount_discount: 0,
      amount_subtotal: isTrial ? 0 : amount,
      amount_tax: 0,
      amount_total: isTrial ? 0 : amount,
      currency: price.currency,
      description: nameOfPrice(world, price),
      metadata: {},
      price,
      quantity,
    };
  });
  return listOfAll(lines, `/v1/checkout/sessions/${sessionId}/line_items`);
}
