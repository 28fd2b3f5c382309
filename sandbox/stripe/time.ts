import { cancelSubscription, expireIncomplete, hasEnded } from './cancellations.ts';
import { expireSession } from './checkout.ts';
import { collectInvoice } from './collect.ts';
import { resumeCollection } from './pauses.ts';
import { discardPendingUpdate } from './pending-updates.ts';
import { daySeconds } from './periods.ts';
import { lastPeriodEnd } from './scheduled-cancellations.ts';
import { itemsIn, nextPhase, releaseSchedule, scheduleOf } from './schedules.ts';
import { settleDebit } from './settle-debits.ts';
import type { Subscription } from './stored.ts';
import { startPeriod } from './subscription-updates.ts';
import { invoicePeriod } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

/** Something that Stripe does by itself at a moment. */
interface Due {
  at: number;
  run: () => void;
}

/** In the order in which they happen when they fall on the same second: a new phase comes before its first invoice. */
function dueOf(world: StripeWorld, subscription: Subscription): Due[] {
  const { id, status } = subscription;
  const due: Due[] = [];
  const add = (at: number | null | undefined, run: () => void) => {
    if (typeof at === 'number') due.push({ at, run });
  };
  if (status === 'incomplete') {
    add(subscription.created + 23 * 3600, () => expireIncomplete(world, subscription));
    return due;
  }
  add(subscription.pending_update?.expires_at, () => expirePendingUpdate(world, subscription));
  add(subscription.pause_collection?.resumes_at, () => resumeCollection(world, id));
  add(subscription.cancel_at, () => cancelSubscription(world, id, { reason: 'cancellation_requested' }));
  if (status === 'paused') return due;
  const schedule = scheduleOf(world, subscription);
  add(schedule?.current_phase?.end_date, () => enterPhase(world, subscription));
  if (status === 'trialing' && subscription.trial_end !== null && !world.state.trialsNotified.includes(id)) {
    add(Math.max(subscription.created, subscription.trial_end - 3 * daySeconds), () => {
      world.state.trialsNotified.push(id);
      world.emit('customer.subscription.trial_will_end', subscription);
    });
  }
  add(lastPeriodEnd(subscription), () => renew(world, subscription));
  return due;
}

function expirePendingUpdate(world: StripeWorld, { id }: Subscription): void {
  discardPendingUpdate(world, id);
  world.emit('customer.subscription.pending_update_expired', world.require('subscription', id));
}

/** The next phase of a schedule, or its end. */
function enterPhase(world: StripeWorld, subscription: Subscription): void {
  const schedule = scheduleOf(world, subscription);
  if (!schedule) return;
  const phase = nextPhase(schedule);
  if (!phase) {
    if (schedule.end_behavior === 'release') releaseSchedule(world, schedule.id);
    else cancelSubscription(world, subscription.id, { reason: 'cancellation_requested' });
    return;
  }
  const items = itemsIn(world, subscription, phase);
  world.update(
    'subscription',
    subscription.id,
    { items: { ...subscription.items, data: items } },
    'customer.subscription.updated',
  );
  world.update(
    'subscription_schedule',
    schedule.id,
    { current_phase: { start_date: phase.start_date, end_date: phase.end_date } },
    'subscription_schedule.updated',
  );
}

/** A new period, and the draft of its invoice, which is charged an hour later. */
function renew(world: StripeWorld, before: Subscription): void {
  const { id } = before;
  const hasTrialEnded = before.status === 'trialing';
  const missing = before.trial_settings?.end_behavior.missing_payment_method;
  if (hasTrialEnded && !methodOf(world, before) && missing !== 'create_invoice') {
    if (missing === 'pause')
      world.update('subscription', id, { status: 'paused' }, 'customer.subscription.paused');
    else cancelSubscription(world, id, { reason: 'payment_failed' });
    return;
  }
  if (hasTrialEnded) world.update('subscription', id, { status: 'active' });
  startPeriod(world, id);
  const invoice = invoicePeriod(world, id, 'subscription_cycle');
  if (before.status === 'unpaid')
    world.update('invoice', invoice.id, { auto_advance: false, automatically_finalizes_at: null });
  world.emitUpdated('subscription', before, 'customer.subscription.updated');
}

function methodOf(world: StripeWorld, subscription: Subscription): string | null {
  const customer = world.find('customer', subscription.customer);
  return subscription.default_payment_method ?? customer?.invoice_settings.default_payment_method ?? null;
}

function allDue(world: StripeWorld): Due[] {
  const subscriptions = world.all('subscription').filter((subscription) => !hasEnded(subscription));
  const invoices = world
    .all('invoice')
    .flatMap(({ id, status, auto_advance: advances, ...invoice }): Due[] => {
      if (!advances) return [];
      const at = status === 'draft' ? invoice.automatically_finalizes_at : invoice.next_payment_attempt;
      if (at === null || (status !== 'draft' && status !== 'open')) return [];
      return [{ at, run: () => collectInvoice(world, id, { offSession: true }) }];
    });
  const debits = Object.entries(world.state.settlements).map(
    ([id, { at, ends }]): Due => ({ at, run: () => settleDebit(world, id, ends) }),
  );
  const sessions = world
    .all('checkout.session')
    .filter(({ status }) => status === 'open')
    .map(({ id, expires_at: at }): Due => ({ at, run: () => expireSession(world, id) }));
  const ofSubscriptions = subscriptions.flatMap((subscription) => dueOf(world, subscription));
  return [...debits, ...ofSubscriptions, ...invoices, ...sessions];
}

/** More steps than ten years of a customer need; a world that needs more is broken. */
const MAX_STEPS = 100_000;

/** Lets everything happen that was due until now, each at its own moment and in order. */
export function applyTime(world: StripeWorld): void {
  const now = world.seconds();
  for (let step = 0; step < MAX_STEPS; step++) {
    const due = allDue(world).filter(({ at }) => at <= now);
    const first = due.reduce<Due | null>(
      (earliest, one) => (earliest && earliest.at <= one.at ? earliest : one),
      null,
    );
    if (!first) return;
    world.at(first.at, first.run);
  }
  throw new Error("The sandbox's Stripe does not come to rest.");
}
