import type Stripe from 'stripe';
import { billingPeriods, paidTiers, products } from '#db/schema/billing.ts';
import type { Plan } from '#domain/plan/plans.ts';
import type { SubscriptionFacts } from '#domain/subscription/transition.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { subscriptionShape } from './answer-shapes.ts';

const second = 1000;
const momentOf = (seconds: number | null): number | null => (seconds === null ? null : seconds * second);

/** The plan that a price stands for; null if it is none of ours. The lookup key moves to newer prices, so it does not tell. */
export function planOf({ metadata, recurring }: Pick<Stripe.Price, 'metadata' | 'recurring'>): Plan | null {
  const product = products.find((each) => each === metadata.keepsake_product);
  const tier = paidTiers.find((each) => each === metadata.keepsake_tier);
  const period = billingPeriods.find((each) => each === recurring?.interval);
  return product && tier && period && recurring?.interval_count === 1 ? { product, tier, period } : null;
}

/**
 * The one item of a subscription that is a plan of ours, beside whatever the operator added. Null: there is none, or
 * there are two.
 */
export function ourItemOf({
  items: { data },
}: Pick<Stripe.Subscription, 'items'>): Stripe.SubscriptionItem | null {
  const ours = data.filter(({ price }) => planOf(price) !== null);
  return ours.length === 1 ? (ours[0] ?? null) : null;
}

/** Returns the plan of a subscription; null if it is unknown. */
export function planIn(subscription: Stripe.Subscription): Plan | null {
  const ours = ourItemOf(subscription);
  return ours && planOf(ours.price);
}

/** Translates a subscription; its schedule must be expanded. */
export function factsOf(
  subscription: Stripe.Subscription,
  { paid, upcoming }: Pick<SubscriptionFacts, 'paid' | 'upcoming'>,
): SubscriptionFacts {
  answerWatch.look(subscriptionShape, subscription);
  const item = ourItemOf(subscription) ?? subscription.items.data[0];
  const periodStartMs = (item?.current_period_start ?? subscription.start_date) * second;
  const periodEndMs = (item?.current_period_end ?? subscription.start_date) * second;
  return {
    id: subscription.id,
    status: subscription.status,
    plan: planIn(subscription),
    hasOtherItems: subscription.items.data.length > 1,
    anchorMs: subscription.billing_cycle_anchor * second,
    periodStartMs,
    periodEndMs,
    trialUntilMs: momentOf(subscription.trial_end),
    // A cancellation in the portal sets `cancel_at` and leaves the other field false.
    cancelAtMs: momentOf(subscription.cancel_at) ?? (subscription.cancel_at_period_end ? periodEndMs : null),
    endedAtMs: momentOf(subscription.ended_at),
    next: nextOf(subscription.schedule),
    servedScheduleId: servedScheduleOf(subscription),
    price: item?.price.unit_amount != null ? item.price.unit_amount * (item.quantity ?? 1) : null,
    currency: subscription.currency,
    checkoutId: subscription.metadata.keepsake_checkout ?? null,
    createdAtMs: subscription.created * second,
    paid,
    upcoming,
    pause: subscription.pause_collection && { untilMs: momentOf(subscription.pause_collection.resumes_at) },
  };
}

/** A schedule of ours that has begun its last phase: it has nothing left to do. */
function servedScheduleOf({ schedule }: Stripe.Subscription): string | null {
  if (schedule === null || typeof schedule === 'string' || schedule.status !== 'active') return null;
  const last = schedule.phases.at(-1);
  const isLast = last !== undefined && last.start_date === schedule.current_phase?.start_date;
  return schedule.metadata?.keepsake_tier && isLast ? schedule.id : null;
}

/** The plan of the phase that follows the current one. Prices of phases are bare ids, so the schedule itself names it. */
function nextOf(schedule: string | Stripe.SubscriptionSchedule | null): SubscriptionFacts['next'] {
  if (schedule === null || typeof schedule === 'string' || schedule.status !== 'active') return null;
  const later = schedule.phases.find(({ start_date }) => start_date === schedule.current_phase?.end_date);
  const tier = paidTiers.find((each) => each === schedule.metadata?.keepsake_tier);
  const period = billingPeriods.find((each) => each === schedule.metadata?.keepsake_period);
  if (!later || !tier || !period) return null;
  const price = Number(schedule.metadata?.keepsake_price);
  return { tier, period, atMs: later.start_date * second, price: Number.isInteger(price) ? price : null };
}
