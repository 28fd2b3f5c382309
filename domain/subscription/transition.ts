import type {
  BillingPeriod,
  PaidTier,
  SubscriptionProblem,
  SubscriptionState,
  subscriptions,
} from '#db/schema/billing.ts';
import { day } from '#domain/time.ts';
import type { Plan } from './plans.ts';

/** How long an overdue payment leaves the plan in force. */
export const GRACE_MS = 7 * day;

/** Stripe's statuses by version 2026-10-28; its enums are open, so another one may come at any time. */
export const stripeStatuses = [
  'incomplete',
  'incomplete_expired',
  'trialing',
  'active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] as const;
export type StripeStatus = (typeof stripeStatuses)[number];

/** A subscription as Stripe describes it, in our words. */
export interface SubscriptionFacts {
  id: string;
  status: string;
  /** Null: the price is none of ours. */
  plan: Plan | null;
  /** Whether it charges for something else besides, which is none of our business. */
  hasOtherItems: boolean;
  anchorMs: number;
  periodStartMs: number;
  periodEndMs: number;
  trialUntilMs: number | null;
  /** When it ends by itself, whichever of Stripe's two fields says so. */
  cancelAtMs: number | null;
  endedAtMs: number | null;
  /** The plan that a schedule begins later. */
  next: { tier: PaidTier; period: BillingPeriod; atMs: number; price: number | null } | null;
  /** What is charged for a period, in minor units without tax; null where it cannot be told. */
  price: number | null;
  currency: string;
  /** Which of our checkouts made it. */
  checkoutId: string | null;
  createdAtMs: number;
}

export type Subscription = typeof subscriptions.$inferSelect;

/**
 * Our state for each of Stripe's. `incomplete` is no subscription yet: its first payment is missing. What is unpaid or
 * paused for want of a payment method is overdue, and ends with the grace period like a payment that failed.
 */
const states: Record<StripeStatus, SubscriptionState | null> = {
  incomplete: null,
  incomplete_expired: 'ended',
  trialing: 'trialing',
  active: 'active',
  past_due: 'grace',
  unpaid: 'grace',
  paused: 'grace',
  canceled: 'ended',
};

const isKnown = (status: string): status is StripeStatus =>
  (stripeStatuses as readonly string[]).includes(status);

/** What a fetched subscription changes, for those who have to be told. */
export type Change = 'none' | 'updated' | 'started' | 'paymentFailed' | 'recovered' | 'ended';

export interface Transition {
  /** The row to store; null: there is nothing to store yet. */
  row: Subscription | null;
  change: Change;
}

/**
 * Decides what is stored of a fetched subscription. The row depends on the fetch alone, so events may be lost, repeated
 * or reordered; only an unknown status or price keeps what was known before, and says so.
 */
export function transition(
  userId: string,
  previous: Subscription | null,
  next: SubscriptionFacts,
): Transition {
  const problem = problemOf(next);
  if (problem) {
    const unchanged = previous && { ...previous, problem };
    return { row: unchanged, change: previous && previous.problem !== problem ? 'updated' : 'none' };
  }
  const row = next.plan ? rowOf(userId, next, next.plan) : endedOf(previous, next);
  return { row, change: row ? changeOf(previous, row) : 'none' };
}

/** Why a fetched subscription cannot be read, or null. An ended one needs no reading. */
export function problemOf({
  status,
  plan,
}: Pick<SubscriptionFacts, 'status' | 'plan'>): SubscriptionProblem | null {
  if (!isKnown(status)) return 'unknownStatus';
  const isCounted = states[status] !== null && states[status] !== 'ended';
  return plan === null && isCounted ? 'unknownPrice' : null;
}

/** Whether Stripe may still charge for it. */
export const isLive = ({ status }: SubscriptionFacts): boolean =>
  status !== 'canceled' && status !== 'incomplete_expired';

function stateOf({ status, cancelAtMs }: SubscriptionFacts): SubscriptionState | null {
  const state = isKnown(status) ? states[status] : null;
  return (state === 'active' || state === 'trialing') && cancelAtMs !== null ? 'ending' : state;
}

/** What has ended needs no plan: the one it had stays in the row. */
const endedOf = (previous: Subscription | null, next: SubscriptionFacts): Subscription | null =>
  previous && { ...previous, state: 'ended', endsAtMs: next.endedAtMs, graceUntilMs: null, problem: null };

function rowOf(userId: string, next: SubscriptionFacts, plan: Plan): Subscription | null {
  const state = stateOf(next);
  if (!state) return null;
  const { product, tier, period } = plan;
  const isTrial = next.status === 'trialing';
  const later = state === 'active' || state === 'trialing' ? next.next : null;
  return {
    id: next.id,
    userId,
    product,
    tier,
    period,
    state,
    anchorMs: next.anchorMs,
    periodStartMs: next.periodStartMs,
    periodEndMs: next.periodEndMs,
    trialUntilMs: isTrial ? next.trialUntilMs : null,
    graceUntilMs: state === 'grace' ? next.periodStartMs + GRACE_MS : null,
    endsAtMs: state === 'ended' ? next.endedAtMs : next.cancelAtMs,
    nextTier: later?.tier ?? null,
    nextPeriod: later?.period ?? null,
    nextAtMs: later?.atMs ?? null,
    price: next.price,
    nextPrice: later?.price ?? null,
    currency: next.currency,
    problem: null,
    createdAtMs: next.createdAtMs,
  };
}

function changeOf(previous: Subscription | null, row: Subscription): Change {
  const [from, to] = [previous?.state ?? null, row.state];
  if (to === 'ended') return from === null || from === 'ended' ? 'none' : 'ended';
  if (from === null) return 'started';
  if (to === 'grace') return from === 'grace' ? sameOr(previous, row) : 'paymentFailed';
  if (from === 'grace') return 'recovered';
  return sameOr(previous, row);
}

const sameOr = (previous: Subscription | null, row: Subscription): Change =>
  JSON.stringify(sorted(previous)) === JSON.stringify(sorted(row)) ? 'none' : 'updated';

const sorted = (row: Subscription | null) => row && Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
