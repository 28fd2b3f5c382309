import type { NewLine } from './invoices.ts';
import type { SubscriptionItem } from './stored.ts';
import { nameOfPrice } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

function share(item: SubscriptionItem, at: number): number {
  const { current_period_start: start, current_period_end: end, price, quantity = 1 } = item;
  return Math.round(((price.unit_amount ?? 0) * quantity * (end - at)) / (end - start));
}

/**
 * The line that credits the rest of the paid period, to the second,
 * https://docs.stripe.com/billing/subscriptions/prorations.
 */
export function unusedLine(world: StripeWorld, item: SubscriptionItem, at: number): NewLine {
  return {
    amount: -share(item, at),
    price: item.price,
    currency: item.price.currency,
    quantity: item.quantity ?? 1,
    description: `Unused time on ${nameOfPrice(world, item.price)} after ${dayFormat.format(at * 1000)}`,
    period: { start: at, end: item.current_period_end },
    subscriptionItem: item.id,
    isProration: true,
  };
}

export function remainingLine(world: StripeWorld, item: SubscriptionItem, at: number): NewLine {
  return {
    ...unusedLine(world, item, at),
    amount: share(item, at),
    description: `Remaining time on ${nameOfPrice(world, item.price)} after ${dayFormat.format(at * 1000)}`,
  };
}
