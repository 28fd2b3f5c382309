import type { Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

export interface ScheduledCancellation {
  cancel_at?: '' | 'max_period_end' | 'min_period_end' | number | undefined;
  cancel_at_period_end?: boolean | undefined;
}

export const lastPeriodEnd = (subscription: Subscription) =>
  Math.max(...subscription.items.data.map((item) => item.current_period_end));

/**
 * Schedules or withdraws a cancellation; the two fields as in
 * https://docs.stripe.com/billing/subscriptions/billing-mode/compare.
 */
export function cancellationChanges(
  world: StripeWorld,
  subscription: Subscription,
  { cancel_at: at, cancel_at_period_end: atEnd }: ScheduledCancellation,
): Partial<Subscription> {
  const requested = {
    comment: null,
    feedback: null,
    feedback_option: null,
    reason: 'cancellation_requested',
  } as const;
  const none = { comment: null, feedback: null, feedback_option: null, reason: null };
  const goesOn = {
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    cancellation_details: none,
  };
  if (atEnd === true) {
    return {
      cancel_at: lastPeriodEnd(subscription),
      cancel_at_period_end: true,
      canceled_at: world.seconds(),
      cancellation_details: requested,
    };
  }
  if (atEnd === false) return subscription.cancel_at_period_end ? goesOn : {};
  if (at === undefined) return {};
  if (at === '') return goesOn;
  const ends = subscription.items.data.map((item) => item.current_period_end);
  const moment =
    at === 'min_period_end' ? Math.min(...ends) : at === 'max_period_end' ? Math.max(...ends) : at;
  return {
    cancel_at: moment,
    cancel_at_period_end: false,
    canceled_at: world.seconds(),
    cancellation_details: requested,
  };
}
