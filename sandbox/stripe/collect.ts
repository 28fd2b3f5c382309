import { cancelSubscription, hasEnded } from './cancellations.ts';
import { finalizeInvoice, invoiceOfIntent, markPaid, paymentOf } from './invoices.ts';
import { attemptPayment, refuseAttempt } from './payments.ts';
import { applyPendingUpdate } from './pending-updates.ts';
import { daySeconds } from './periods.ts';
import type { Invoice, PaymentIntent, Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

/** Days from each failed attempt to the next, as the account's settings offer them in place of Smart Retries. */
export const retryDays = [3, 5, 7] as const;

export function subscriptionOf(world: StripeWorld, invoice: Invoice): Subscription | null {
  return world.find('subscription', invoice.parent?.subscription_details?.subscription ?? '');
}

/** The card that an invoice is charged to: the subscription's own, or the customer's default. */
function defaultMethod(world: StripeWorld, invoice: Invoice): string | null {
  const subscription = subscriptionOf(world, invoice);
  const customer = world.find('customer', invoice.customer ?? '');
  return subscription?.default_payment_method ?? customer?.invoice_settings.default_payment_method ?? null;
}

export interface Collecting {
  offSession: boolean;
  paymentMethod?: string | null | undefined;
  isAuthenticated?: boolean;
}

/** Opens an invoice if it is a draft, and tries to have it paid; the result is the answer's `status`. */
export function collectInvoice(world: StripeWorld, id: string, how: Collecting): Invoice {
  const found = world.require('invoice', id);
  const open = found.status === 'draft' ? finalizeInvoice(world, id, how.offSession) : found;
  if (open.amount_due === 0) return settle(world, markPaid(world, id));
  const intent = paymentOf(world, id)?.intent;
  if (!intent || intent.status === 'processing') return open;
  const attempted = attemptPayment(world, intent.id, {
    offSession: how.offSession,
    paymentMethod: how.paymentMethod ?? defaultMethod(world, open),
    isAuthenticated: how.isAuthenticated ?? false,
  });
  if (attempted.status === 'processing') return underWay(world, open);
  return attempted.status === 'succeeded' ? settle(world, markPaid(world, id)) : failed(world, id, attempted);
}

/**
 * A debit is under way: the invoice stays open, and a new subscription is active meanwhile, as users of the live API
 * see it, https://github.com/laravel/cashier-stripe/issues/1689.
 */
function underWay(world: StripeWorld, { id }: Invoice): Invoice {
  const invoice = world.update('invoice', id, { attempted: true, next_payment_attempt: null });
  const subscription = subscriptionOf(world, invoice);
  if (subscription?.status === 'incomplete')
    world.update('subscription', subscription.id, { status: 'active' }, 'customer.subscription.updated');
  return invoice;
}

/** The customer answered a 3-D Secure challenge, or let it fail. */
export function answerChallenge(world: StripeWorld, intentId: string, isConfirmed: boolean): PaymentIntent {
  const intent = world.require('payment_intent', intentId);
  if (intent.status !== 'requires_action') return intent;
  const invoice = invoiceOfIntent(world, intentId);
  if (!isConfirmed) {
    const method = intent.payment_method;
    const refused = refuseAttempt(world, intent, method, 'payment_intent_authentication_failure');
    if (invoice) failed(world, invoice.id, refused);
    return refused;
  }
  const how = { offSession: false, paymentMethod: intent.payment_method, isAuthenticated: true };
  if (invoice) collectInvoice(world, invoice.id, how);
  else attemptPayment(world, intentId, how);
  return world.require('payment_intent', intentId);
}

/** A paid invoice revives its subscription and applies the update that waited for the payment. */
export function settle(world: StripeWorld, invoice: Invoice): Invoice {
  const subscription = subscriptionOf(world, invoice);
  if (!subscription) return invoice;
  if (subscription.pending_update && subscription.latest_invoice === invoice.id) {
    applyPendingUpdate(world, subscription);
  }
  const revived: Subscription['status'][] = ['incomplete', 'past_due', 'unpaid'];
  const isLatest = subscription.latest_invoice === invoice.id;
  if (isLatest && revived.includes(subscription.status)) {
    world.update('subscription', subscription.id, { status: 'active' }, 'customer.subscription.updated');
  }
  return invoice;
}

/** An attempt to charge an invoice has failed. */
export function failed(world: StripeWorld, id: string, intent: PaymentIntent): Invoice {
  const invoice = world.require('invoice', id);
  const subscription = subscriptionOf(world, invoice);
  const attempts = invoice.attempt_count + 1;
  const isRenewal = invoice.billing_reason === 'subscription_cycle';
  const days = isRenewal ? retryDays[attempts - 1] : undefined;
  const updated = world.update('invoice', id, {
    attempted: true,
    attempt_count: attempts,
    next_payment_attempt: days === undefined ? null : world.seconds() + days * daySeconds,
  });
  if (intent.status === 'requires_action') world.emit('invoice.payment_action_required', updated);
  world.emit('invoice.payment_failed', updated);
  const isExtra = invoice.billing_reason === 'manual';
  if (subscription && (isRenewal || isExtra) && subscription.latest_invoice === id) {
    if (isRenewal && days === undefined) giveUp(world, subscription);
    else if (subscription.status === 'active')
      world.update('subscription', subscription.id, { status: 'past_due' }, 'customer.subscription.updated');
  }
  return updated;
}

/**
 * The last attempt failed. The account's settings choose the consequence,
 * https://docs.stripe.com/billing/revenue-recovery.
 */
function giveUp(world: StripeWorld, subscription: Subscription): void {
  const { id, status } = subscription;
  if (hasEnded(subscription)) return;
  const { afterRetries } = world.state.settings;
  if (afterRetries === 'cancel') cancelSubscription(world, id, { reason: 'payment_failed' });
  else if (status !== afterRetries)
    world.update('subscription', id, { status: afterRetries }, 'customer.subscription.updated');
}
