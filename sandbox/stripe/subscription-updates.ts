import { z } from 'zod';
import { hasEnded } from './cancellations.ts';
import { collectInvoice } from './collect.ts';
import { isDebit } from './debits.ts';
import { draftInvoice, type NewLine, paymentOf } from './invoices.ts';
import { bool, common, listOf, metadata, text, whole } from './parameters.ts';
import { discardPendingUpdate } from './pending-updates.ts';
import { periodEnd } from './periods.ts';
import { endFields, plainChanges, plainFields } from './plain-changes.ts';
import { remainingLine, unusedLine } from './proration.ts';
import { cardRefusal, invalidRequest, StripeRefusal } from './refusals.ts';
import { lastPeriodEnd } from './scheduled-cancellations.ts';
import { itemsIn, nextPhase, scheduleOf } from './schedules.ts';
import type { Invoice, PaymentIntent, Subscription, SubscriptionItem } from './stored.ts';
import { invoicePeriod, itemOf, periodLines, requireRecurring, withPrice } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

const prorationBehaviors = ['always_invoice', 'create_prorations', 'none'] as const;
const paymentBehaviors = [
  'allow_incomplete',
  'default_incomplete',
  'error_if_incomplete',
  'pending_if_incomplete',
] as const;

export const itemShape = z.strictObject({
  id: text.optional(),
  price: text.optional(),
  quantity: whole.optional(),
  deleted: bool.optional(),
  metadata,
});

/** The fields that change the amounts, and that a preview may try. */
export const changeFields = {
  billing_cycle_anchor: z.enum(['now', 'unchanged']).optional(),
  ...endFields,
  items: listOf(itemShape).optional(),
  proration_behavior: z.enum(prorationBehaviors).optional(),
  proration_date: whole.optional(),
};

export const updateSubscriptionShape = z.strictObject({
  ...common,
  ...changeFields,
  ...plainFields,
  collection_method: z.literal('charge_automatically').optional(),
  off_session: bool.optional(),
  payment_behavior: z.enum(paymentBehaviors).optional(),
  payment_settings: z.unknown().optional(),
  trial_settings: z.unknown().optional(),
});

export type SubscriptionChange = z.output<typeof updateSubscriptionShape>;

/** Only these go with `pending_if_incomplete`, https://docs.stripe.com/billing/subscriptions/pending-updates-reference. */
const pendingFields = new Set([
  'expand',
  'payment_behavior',
  'proration_behavior',
  'proration_date',
  'billing_cycle_anchor',
  'items',
  'trial_end',
  'off_session',
]);
/** Or until the period or the trial ends, whichever comes first; the reference above has both. */
const PENDING_SECONDS = 23 * 3600;

function requireChangeable(world: StripeWorld, id: string, change: SubscriptionChange): Subscription {
  const subscription = world.require('subscription', id);
  const given = Object.keys(change);
  if (
    hasEnded(subscription) &&
    given.some((name) => !['cancellation_details', 'metadata', 'expand'].includes(name))
  ) {
    throw invalidRequest('A canceled subscription can only update its cancellation_details and metadata.');
  }
  const other = given.find((name) => !pendingFields.has(name));
  if (change.payment_behavior === 'pending_if_incomplete' && other) {
    // The documentation says that the others are refused,
    // https://docs.stripe.com/billing/subscriptions/pending-updates-reference; the words are believed.
    throw invalidRequest(
      `When \`payment_behavior\` is set to \`pending_if_incomplete\`, you may not pass \`${other}\`.`,
      { param: other },
    );
  }
  if (change.payment_behavior === 'pending_if_incomplete' && paysByDebit(world, subscription)) {
    // https://docs.stripe.com/billing/subscriptions/pending-updates has the rule; the words are believed.
    throw invalidRequest('Pending updates are not supported when the payment method is a bank debit.', {
      param: 'payment_behavior',
    });
  }
  if (change.cancel_at !== undefined && change.cancel_at_period_end !== undefined) {
    // The form is the one of other pairs of parameters; that this is one of them is believed.
    throw invalidRequest('You may only specify one of these parameters: cancel_at, cancel_at_period_end.', {
      param: 'cancel_at',
    });
  }
  if (subscription.schedule && (change.items || change.cancel_at_period_end !== undefined)) {
    const param = change.items ? 'items' : 'cancel_at_period_end';
    // It is believed that items are refused as well, in the same words; the product releases a schedule
    // first.
    const what = change.items ? 'items' : 'cancelation behavior';
    throw invalidRequest(
      `The subscription is managed by the subscription schedule \`${subscription.schedule}\`, and updating any ${what} directly is not allowed. Please update the schedule instead.`,
      { param },
    );
  }
  return subscription;
}

function paysByDebit(world: StripeWorld, { customer, default_payment_method: own }: Subscription): boolean {
  const method = own ?? world.require('customer', customer).invoice_settings.default_payment_method;
  return method !== null && isDebit(world, method);
}

/** The items after a change: an item without its id is added, https://docs.stripe.com/billing/subscriptions/change-price. */
function changedItems(
  world: StripeWorld,
  subscription: Subscription,
  change: SubscriptionChange,
): SubscriptionItem[] {
  const items = new Map(subscription.items.data.map((item) => [item.id, item]));
  const [first] = subscription.items.data;
  const period = { start: first?.current_period_start ?? 0, end: first?.current_period_end ?? 0 };
  change.items?.forEach((given, index) => {
    const param = `items[${index}][price]`;
    const price = given.price ? requireRecurring(world, given.price, param) : null;
    if (price && price.currency !== subscription.currency) {
      throw invalidRequest(
        `The price specified only supports \`${price.currency}\`. This doesn't match the expected currency: \`${subscription.currency}\`.`,
        { param },
      );
    }
    const item = given.id ? items.get(given.id) : null;
    if (given.id && !item)
      throw invalidRequest(`No such subscription_item: '${given.id}'`, {
        code: 'resource_missing',
        param: `items[${index}][id]`,
      });
    if (item && given.deleted) items.delete(item.id);
    else if (item) {
      const priced = price ? withPrice(item, price) : item;
      items.set(item.id, { ...priced, quantity: given.quantity ?? priced.quantity ?? 1 });
    } else if (price) {
      const added = itemOf(world, {
        subscription: subscription.id,
        price,
        quantity: given.quantity ?? 1,
        period,
      });
      items.set(added.id, added);
    } else throw invalidRequest('Missing required param: items[price].', { param });
  });
  return [...items.values()];
}

/**
 * The result of a change: the items, the anchor if it moves, and the lines to charge now or with the next
 * invoice.
 */
interface Outcome {
  items: SubscriptionItem[];
  anchor: number | null;
  lines: NewLine[];
  isInvoicedNow: boolean;
  endsTrial: boolean;
}

const intervalOf = ({ price }: SubscriptionItem) =>
  `${price.recurring?.interval_count} ${price.recurring?.interval}`;

function outcomeOf(world: StripeWorld, subscription: Subscription, change: SubscriptionChange): Outcome {
  const now = world.seconds();
  const before = subscription.items.data;
  const items = changedItems(world, subscription, change);
  const at = change.proration_date ?? now;
  const [first] = before;
  if (first && (at < first.current_period_start || at > first.current_period_end)) {
    // Believed.
    throw invalidRequest(
      `Cannot specify \`proration_date\` outside of the subscription's current period (period start: ${first.current_period_start}, period end: ${first.current_period_end}).`,
      { param: 'proration_date' },
    );
  }
  const endsTrial = subscription.status === 'trialing' && change.trial_end === 'now';
  if (subscription.status === 'trialing' && !endsTrial) {
    return { items, anchor: null, lines: [], isInvoicedNow: false, endsTrial };
  }
  const isNewCycle =
    endsTrial ||
    change.billing_cycle_anchor === 'now' ||
    (items[0] && first ? intervalOf(items[0]) !== intervalOf(first) : false);
  const isProrated = change.proration_behavior !== 'none' && !endsTrial;
  const changed = isNewCycle
    ? before
    : before.filter((item) => !items.some((other) => sameCharge(item, other)));
  const added = items.filter((item) => !before.some((other) => sameCharge(item, other)));
  const credits = isProrated ? changed.map((item) => unusedLine(world, item, at)) : [];
  if (!isNewCycle) {
    const lines = isProrated ? [...credits, ...added.map((item) => remainingLine(world, item, at))] : [];
    return {
      items,
      anchor: null,
      lines,
      isInvoicedNow: change.proration_behavior === 'always_invoice' && lines.length > 0,
      endsTrial,
    };
  }
  const fresh = items.map((item) => {
    const { recurring } = item.price;
    const end = recurring ? periodEnd(now, recurring, now) : now;
    return { ...item, current_period_start: now, current_period_end: end };
  });
  return { items: fresh, anchor: now, lines: credits, isInvoicedNow: true, endsTrial };
}

const sameCharge = (one: SubscriptionItem, other: SubscriptionItem) =>
  one.id === other.id && one.price.id === other.price.id && one.quantity === other.quantity;

function listed(subscription: Subscription, items: SubscriptionItem[]): Pick<Subscription, 'items'> {
  return { items: { ...subscription.items, data: items } };
}

function applied(
  subscription: Subscription,
  { items, anchor, endsTrial }: Outcome,
  now: number,
): Partial<Subscription> {
  return {
    ...listed(subscription, items),
    ...(anchor !== null && { billing_cycle_anchor: anchor }),
    ...(endsTrial && { status: 'active', trial_end: now }),
  };
}

/** The draft that a change is charged by now; null when it waits for the next invoice or costs nothing. */
function draftChange(
  world: StripeWorld,
  subscription: Subscription,
  outcome: Outcome,
  change: SubscriptionChange,
): Invoice | null {
  if (!outcome.isInvoicedNow) return null;
  const next = { ...subscription, ...applied(subscription, outcome, world.seconds()) };
  const whole = outcome.anchor === null ? [] : periodLines(world, next);
  const [item] = outcome.items;
  const draft = draftInvoice(world, {
    subscription,
    lines: [...outcome.lines, ...whole],
    reason: 'subscription_update',
    period: { start: world.seconds(), end: item?.current_period_end ?? world.seconds() },
    prorationDate: change.proration_date ?? world.seconds(),
  });
  world.update('subscription', subscription.id, { latest_invoice: draft.id });
  return draft;
}

/**
 * Changes a subscription, and charges the cost of the change,
 * https://docs.stripe.com/api/subscriptions/update.
 */
export function updateSubscription(world: StripeWorld, id: string, change: SubscriptionChange): Subscription {
  const before = requireChangeable(world, id, change);
  if (change.items === undefined && change.trial_end !== 'now' && change.billing_cycle_anchor !== 'now') {
    world.update('subscription', id, plainChanges(world, before, change));
    return world.emitUpdated('subscription', before, 'customer.subscription.updated');
  }
  discardPendingUpdate(world, id);
  const outcome = outcomeOf(world, before, change);
  const isPending = change.payment_behavior === 'pending_if_incomplete';
  const fields = applied(before, outcome, world.seconds());
  if (!isPending) world.update('subscription', id, { ...plainChanges(world, before, change), ...fields });
  const draft = draftChange(world, before, outcome, change);
  if (!draft) {
    if (isPending) world.update('subscription', id, fields);
    deferLines(world, id, outcome.lines);
    return world.emitUpdated('subscription', before, 'customer.subscription.updated');
  }
  if (before.pause_collection) {
    world.update('subscription', id, fields);
    return world.emitUpdated('subscription', before, 'customer.subscription.updated');
  }
  const invoice = collectInvoice(world, draft.id, { offSession: change.off_session ?? false });
  // With a debit under way the change has begun.
  const isUnderWay = paymentOf(world, draft.id)?.intent.status === 'processing';
  if (invoice.status === 'paid' || isUnderWay) world.update('subscription', id, fields);
  else leaveUnpaid(world, id, outcome, change, invoice);
  return world.emitUpdated('subscription', before, 'customer.subscription.updated');
}

function deferLines(world: StripeWorld, id: string, lines: NewLine[]): void {
  if (lines.length === 0) return;
  const waiting = world.state.pendingLines[id] ?? [];
  world.setPendingLines(id, [
    ...waiting,
    ...lines.flatMap((line) => {
      if (line.price === null) return [];
      const { isProration: _, currency: __, ...own } = line;
      return [{ ...own, price: line.price.id }];
    }),
  ]);
}

/** The payment failed or waits for 3-D Secure: `payment_behavior` decides the consequence. */
function leaveUnpaid(
  world: StripeWorld,
  id: string,
  outcome: Outcome,
  change: SubscriptionChange,
  invoice: Invoice,
): void {
  if (change.payment_behavior === 'error_if_incomplete')
    throw unpaid(paymentOf(world, invoice.id)?.intent ?? null);
  if (change.payment_behavior !== 'pending_if_incomplete') {
    world.update('subscription', id, { status: 'past_due' });
    return;
  }
  world.update('subscription', id, {
    pending_update: {
      billing_cycle_anchor: outcome.anchor,
      cancel_at_period_end: null,
      discount: null,
      discounts: null,
      expires_at: Math.min(
        world.seconds() + PENDING_SECONDS,
        lastPeriodEnd(world.require('subscription', id)),
      ),
      metadata: null,
      subscription_items: outcome.items,
      trial_end: null,
      trial_from_plan: null,
    },
  });
}

function unpaid(intent: PaymentIntent | null): StripeRefusal {
  if (intent?.status === 'requires_action') {
    return new StripeRefusal(402, {
      type: 'card_error',
      code: 'subscription_payment_intent_requires_action',
      message:
        'Payment for this subscription requires additional user action before it can be completed successfully. Payment can be completed using the PaymentIntent associated with `subscription.latest_invoice`.',
    });
  }
  return cardRefusal(intent?.last_payment_error);
}

/** The invoice that a change would bring: now, or at the end of the period. The caller undoes everything. */
export function draftPreview(world: StripeWorld, id: string, change: SubscriptionChange): Invoice {
  const found = requireChangeable(world, id, change);
  // It is believed that a preview ignores a pause.
  const before = world.update('subscription', found.id, { pause_collection: null });
  const outcome = outcomeOf(world, before, change);
  const draft = draftChange(world, before, outcome, change);
  if (draft) return draft;
  deferLines(world, id, outcome.lines);
  const ends = plainChanges(world, before, change).cancel_at ?? before.cancel_at;
  if (hasEnded(before) || (ends !== null && ends <= lastPeriodEnd(before))) {
    throw new StripeRefusal(404, {
      type: 'invalid_request_error',
      code: 'invoice_upcoming_none',
      message: `No upcoming invoices for customer: ${before.customer}`,
    });
  }
  const end = lastPeriodEnd(before);
  const phase = phaseAt(world, before, end);
  const items = phase ? itemsIn(world, listed(before, outcome.items), phase) : outcome.items;
  world.update('subscription', id, { ...listed(before, items), status: 'active' });
  return world.at(end, () => {
    startPeriod(world, id);
    return invoicePeriod(world, id, 'subscription_cycle');
  });
}

/**
 * The phase of its schedule that begins with the next period. It is believed that a preview by the
 * subscription uses it.
 */
function phaseAt(world: StripeWorld, subscription: Subscription, start: number) {
  const schedule = scheduleOf(world, subscription);
  const phase = schedule && nextPhase(schedule);
  return phase?.start_date === start ? phase : null;
}

/** Moves every item to its next period. */
export function startPeriod(world: StripeWorld, id: string): void {
  const subscription = world.require('subscription', id);
  const start = lastPeriodEnd(subscription);
  const items = subscription.items.data.map((item) => {
    const { recurring } = item.price;
    const end = recurring ? periodEnd(subscription.billing_cycle_anchor, recurring, start) : start;
    return { ...item, current_period_start: start, current_period_end: end };
  });
  world.update('subscription', id, listed(subscription, items));
}
