import { voidInvoice } from './invoices.ts';
import { noSuch } from './refusals.ts';
import type { Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

export interface Cancelling {
  reason: 'cancellation_requested' | 'payment_failed';
  comment?: string | null;
  feedback?: Subscription['cancellation_details'] extends { feedback: infer Feedback } | null
    ? Feedback
    : never;
}

export const hasEnded = ({ status }: Subscription) =>
  status === 'canceled' || status === 'incomplete_expired';

/** Ends a subscription now; its unpaid invoices are not charged any more. */
export function cancelSubscription(world: StripeWorld, id: string, how: Cancelling): Subscription {
  const subscription = world.require('subscription', id);
  if (hasEnded(subscription)) {
    // Cancelling again refers to a subscription that does not exist,
    // https://docs.stripe.com/error-codes#resource-missing.
    throw noSuch('subscription', id);
  }
  const now = world.seconds();
  stopCollecting(world, id);
  if (subscription.schedule) {
    world.update(
      'subscription_schedule',
      subscription.schedule,
      { status: 'canceled', canceled_at: now, current_phase: null },
      'subscription_schedule.canceled',
    );
  }
  world.setPendingLines(id, []);
  return world.update(
    'subscription',
    id,
    {
      status: 'canceled',
      canceled_at: subscription.canceled_at ?? now,
      ended_at: now,
      pending_update: null,
      schedule: null,
      cancellation_details: {
        comment: how.comment ?? null,
        feedback: how.feedback ?? null,
        feedback_option: null,
        reason: subscription.cancellation_details?.reason ?? how.reason,
      },
    },
    'customer.subscription.deleted',
  );
}

function stopCollecting(world: StripeWorld, subscriptionId: string): void {
  for (const invoice of world.all('invoice')) {
    if (invoice.parent?.subscription_details?.subscription !== subscriptionId) continue;
    if (invoice.status === 'draft' || invoice.status === 'open') {
      world.update('invoice', invoice.id, {
        auto_advance: false,
        next_payment_attempt: null,
        automatically_finalizes_at: null,
      });
    }
  }
}

/** The first payment was not made within 23 hours, https://docs.stripe.com/billing/subscriptions/overview. */
export function expireIncomplete(world: StripeWorld, { id, latest_invoice: invoice }: Subscription): void {
  if (invoice && world.require('invoice', invoice).status === 'open') voidInvoice(world, invoice);
  world.update(
    'subscription',
    id,
    { status: 'incomplete_expired', ended_at: world.seconds() },
    'customer.subscription.updated',
  );
}
