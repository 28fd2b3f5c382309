import type Stripe from 'stripe';
import type { SubscriptionFacts } from '#domain/subscription/transition.ts';
import type { Billing } from './billing.ts';
import { readPaid } from './read-paid.ts';
import { factsOf } from './subscription-facts.ts';

/** Reads everything about a subscription that is stored. Its schedule must be expanded. */
export async function readFacts(
  billing: Billing,
  subscription: Stripe.Subscription,
): Promise<SubscriptionFacts> {
  const paid = await readPaid(billing, subscription);
  return factsOf(subscription, { paid, upcoming: await readUpcoming(billing, subscription) });
}

const charging: readonly string[] = ['active', 'trialing', 'past_due'];

/** Returns when the next invoice is made; none is made if payments are paused beyond that. */
function nextInvoiceAt({ items, pause_collection: pause }: Stripe.Subscription): number | null {
  const at = Math.min(...items.data.map((item) => item.current_period_end));
  const isHeld = pause !== null && (pause.resumes_at === null || pause.resumes_at > at);
  return isHeld || !Number.isFinite(at) ? null : at;
}

/**
 * Asks Stripe for the next charge: it alone knows discounts, credits, pending items and taxes. Null if there
 * is none or Stripe cannot tell, which must not prevent storing the rest of a subscription.
 */
async function readUpcoming(
  { stripe, log }: Billing,
  subscription: Stripe.Subscription,
): Promise<SubscriptionFacts['upcoming']> {
  const { id, status, schedule } = subscription;
  const at = nextInvoiceAt(subscription);
  if (at === null || !charging.includes(status)) return null;
  const isScheduled = schedule !== null && typeof schedule !== 'string' && schedule.status === 'active';
  // The plan that is to follow is known by the schedule.
  const asked = isScheduled ? { schedule: schedule.id } : { subscription: id };
  try {
    const { amount_due: amount } = await stripe.invoices.createPreview(asked);
    return { amount, atMs: at * 1000 };
  } catch (error) {
    const { type, code } = error as { type?: unknown; code?: unknown };
    if (type !== 'StripeInvalidRequestError') throw error;
    if (code !== 'invoice_upcoming_none')
      log.warn({ err: error, subscriptionId: id }, 'Stripe does not tell what it will charge next');
    return null;
  }
}
