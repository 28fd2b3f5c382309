import { blankSubscription } from './blanks.ts';
import { markInvoiced, pendingItemLines } from './invoice-items.ts';
import { draftInvoice, type NewLine } from './invoices.ts';
import { periodEnd } from './periods.ts';
import { invalidRequest } from './refusals.ts';
import { newId, randomLetters } from './state.ts';
import type { Invoice, Price, Subscription, SubscriptionItem } from './stored.ts';
import type { StripeWorld } from './world.ts';

export interface NewSubscription {
  customer: string;
  items: { price: string; quantity: number; metadata?: Record<string, string> | undefined }[];
  metadata: Record<string, string>;
  description: string | null;
  defaultPaymentMethod: string | null;
  trialEnd: number | null;
  missingPaymentMethod: 'cancel' | 'create_invoice' | 'pause';
  automaticTax: boolean;
  /** True if Stripe sells in its own name. */
  isManaged: boolean;
}

/** Plans are the older form of prices, and items still carry both. */
function planOf(price: Price): SubscriptionItem['plan'] {
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: 'per_unit',
    created: price.created,
    currency: price.currency,
    interval: price.recurring?.interval ?? 'month',
    interval_count: price.recurring?.interval_count ?? 1,
    livemode: false,
    metadata: price.metadata,
    meter: null,
    nickname: price.nickname,
    product: price.product,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: 'licensed',
  };
}

/** Periods stand on the items since 2025-03-31.basil, not on the subscription. */
export function itemOf(
  world: StripeWorld,
  parts: {
    subscription: string;
    price: Price;
    quantity: number;
    period: { start: number; end: number };
    metadata?: Record<string, string> | undefined;
  },
): SubscriptionItem {
  const { subscription, price, quantity, period, metadata = {} } = parts;
  return {
    id: `si_${randomLetters(14)}`,
    object: 'subscription_item',
    billing_thresholds: null,
    created: world.seconds(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata,
    plan: planOf(price),
    price,
    quantity,
    subscription,
    tax_rates: [],
  };
}

export function withPrice(item: SubscriptionItem, price: Price): SubscriptionItem {
  return { ...item, price, plan: planOf(price) };
}

export function requireRecurring(world: StripeWorld, id: string, param: string): Price {
  const price = world.require('price', id, param);
  if (!price.recurring) {
    throw invalidRequest(
      `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
      { param },
    );
  }
  if (!price.active) {
    throw invalidRequest(`The price specified is inactive. This field only accepts active prices.`, {
      param,
    });
  }
  return price;
}

export function nameOfPrice(world: StripeWorld, price: Price): string {
  return world.find('product', price.product)?.name ?? price.product;
}

export function money(amount: number, currency: string): string {
  return `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
}

/** One line per item for its whole period. */
export function periodLines(world: StripeWorld, subscription: Subscription): NewLine[] {
  const isTrial = subscription.status === 'trialing';
  return subscription.items.data.map((item) => {
    const { price, quantity = 1 } = item;
    const name = nameOfPrice(world, price);
    const unit = price.unit_amount ?? 0;
    return {
      amount: isTrial ? 0 : unit * quantity,
      price,
      currency: price.currency,
      quantity,
      description: isTrial
        ? `Trial period for ${name}`
        : `${quantity} × ${name} (at ${money(unit, price.currency)} / ${price.recurring?.interval})`,
      period: { start: item.current_period_start, end: item.current_period_end },
      subscriptionItem: item.id,
      isProration: false,
    };
  });
}

/** Creates the invoice of a period that has just begun, with pending items, and makes it the latest. */
export function invoicePeriod(
  world: StripeWorld,
  id: string,
  reason: 'subscription_create' | 'subscription_cycle',
): Invoice {
  const subscription = world.require('subscription', id);
  const [item] = subscription.items.data;
  const period = { start: item?.current_period_start ?? 0, end: item?.current_period_end ?? 0 };
  const waiting = (world.state.pendingLines[id] ?? []).map((line): NewLine => {
    const price = world.require('price', line.price);
    return { ...line, price, currency: price.currency, isProration: true };
  });
  if (waiting.length > 0) world.setPendingLines(id, []);
  const extra = pendingItemLines(world, subscription.customer, id);
  const lines = [...waiting, ...extra, ...periodLines(world, subscription)];
  const invoice = draftInvoice(world, { subscription, lines, reason, period });
  markInvoiced(world, extra, invoice.id);
  world.update('subscription', id, { latest_invoice: invoice.id });
  return invoice;
}

/** A subscription whose first invoice is not paid yet; with a trial it is trialing at once. */
export function createSubscription(world: StripeWorld, given: NewSubscription): Subscription {
  const id = newId('subscription');
  const now = world.seconds();
  const prices = given.items.map(({ price }, index) =>
    requireRecurring(world, price, `items[${index}][price]`),
  );
  const [first] = prices;
  const interval = first?.recurring;
  if (!first || !interval) throw invalidRequest('Missing required param: items.', { param: 'items' });
  if (prices.some((price) => price.currency !== first.currency)) {
    // Believed.
    throw invalidRequest('The currency of every item must be the same.', { param: 'items' });
  }
  const anchor = given.trialEnd ?? now;
  const period = { start: now, end: given.trialEnd ?? periodEnd(anchor, interval, now) };
  const items = given.items.map(({ quantity, metadata }, index) =>
    itemOf(world, { subscription: id, price: prices[index] ?? first, quantity, metadata, period }),
  );
  const created = world.create('subscription', {
    id,
    object: 'subscription',
    ...blankSubscription,
    automatic_tax: {
      disabled_reason: null,
      enabled: given.automaticTax,
      liability: given.automaticTax ? { type: 'self' } : null,
    },
    billing_cycle_anchor: anchor,
    // The default since 2025-09-30.clover, https://docs.stripe.com/billing/subscriptions/billing-mode.
    billing_mode: { flexible: { proration_discounts: 'included' }, type: 'flexible', updated_at: now },
    created: now,
    currency: first.currency,
    customer: given.customer,
    default_payment_method: given.defaultPaymentMethod,
    description: given.description,
    managed_payments: { enabled: given.isManaged },
    items: { object: 'list', data: items, has_more: false, url: `/v1/subscription_items?subscription=${id}` },
    metadata: given.metadata,
    start_date: now,
    status: given.trialEnd === null ? 'incomplete' : 'trialing',
    trial_end: given.trialEnd,
    trial_settings: {
      end_behavior: { billing_cycle_anchor: null, missing_payment_method: given.missingPaymentMethod },
    },
    trial_start: given.trialEnd === null ? null : now,
  });
  invoicePeriod(world, id, 'subscription_create');
  world.emit('customer.subscription.created', world.require('subscription', created.id));
  return world.require('subscription', created.id);
}
