import type {
  BillingPeriod,
  PaidTier,
  SubscriptionProblem,
  SubscriptionState,
  subscriptions,
} from '#db/schema/billing.ts';
import { day } from '#domain/kernel/time.ts';
import type { Plan } from '#domain/plan/plans.ts';
import type { Paid } from './paid-until.ts';

/** A plan stays in force for this long after a failed payment. */
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

/** A subscription as Stripe reports it, in our terms. */
export interface SubscriptionFacts {
  id: string;
  status: string;
  /** Null if the price is none of ours. */
  plan: Plan | null;
  /** True if it charges for something else besides, which does not concern us. */
  hasOtherItems: boolean;
  anchorMs: number;
  periodStartMs: number;
  periodEndMs: number;
  trialUntilMs: number | null;
  /** Time at which it ends by itself, from whichever of Stripe's two fields has it. */
  cancelAtMs: number | null;
  endedAtMs: number | null;
  /** The plan that a schedule begins later. */
  next: { tier: PaidTier; period: BillingPeriod; atMs: number; price: number | null } | null;
  /** Id of a schedule of ours that has nothing left to do, and would stand in the way of changes. */
  servedScheduleId: string | null;
  /** The charge for a period, in minor units without tax; null if unknown. */
  price: number | null;
  currency: string;
  /** The id of our checkout that made it. */
  checkoutId: string | null;
  createdAtMs: number;
  /** The facts that its invoices show. */
  paid: Paid;
  /** The next invoice as Stripe previews it: the amount to be charged, with discounts, credits and tax. */
  upcoming: { amount: number; atMs: number } | null;
  /** Set if its payments are paused, with the end of the pause; its status does not show it. */
  pause: { untilMs: number | null } | null;
}

export type Subscription = typeof subscriptions.$inferSelect;

/**
 * Our state for each of Stripe's, before its invoices are considered. `incomplete` is no subscription yet:
 * its first payment is missing. A subscription that is unpaid, or paused for lack of a payment method, is
 * overdue, like a payment that failed.
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

/** The change made by a fetched subscription, for those who have to be notified. */
export type Change = 'none' | 'updated' | 'started' | 'paymentFailed' | 'recovered' | 'ended';

export interface Transition {
  /** The row to store; null if there is nothing to store yet. */
  row: Subscription | null;
  change: Change;
}

/**
 * Decides the row that a fetched subscription is stored as. The row depends on the fetch alone, so events may
 * be lost, repeated or reordered; only an unknown status or price keeps what was known before, and reports
 * the problem. A subscriber has at least what paid invoices cover: a status can add to it, but never take
 * from it.
 */
export function transition(
  userId: string,
  previous: Subscription | null,
  next: SubscriptionFacts,
  nowMs: number,
): Transition {
  const problem = problemOf(next);
  if (problem) {
    const unchanged = previous && { ...previous, problem };
    return { row: unchanged, change: previous && previous.problem !== problem ? 'updated' : 'none' };
  }
  const row = next.plan ? rowOf({ userId, previous, next, plan: next.plan, nowMs }) : endedOf(previous, next);
  return { row, change: row ? changeOf(previous, row) : 'none' };
}

/** Returns why a fetched subscription cannot be read, or null. An ended one need not be read. */
export function problemOf({
  status,
  plan,
}: Pick<SubscriptionFacts, 'status' | 'plan'>): SubscriptionProblem | null {
  if (!isKnown(status)) return 'unknownStatus';
  const isCounted = states[status] !== null && states[status] !== 'ended';
  return plan === null && isCounted ? 'unknownPrice' : null;
}

/** Returns whether Stripe may still charge for it. */
export const isLive = ({ status }: SubscriptionFacts): boolean =>
  status !== 'canceled' && status !== 'incomplete_expired';

function stateOf(next: SubscriptionFacts, nowMs: number): SubscriptionState | null {
  const { status, cancelAtMs, paid } = next;
  const state = isKnown(status) ? states[status] : null;
  if (state === 'ended') return isCovered(paid, nowMs) && status === 'canceled' ? 'covered' : 'ended';
  // The payment for the next period is on its way and has not failed.
  const isToCome = paid.due === 'pending' || paid.due === 'underWay';
  const runs = state === 'active' || state === 'trialing' || (state === 'grace' && isToCome);
  const isCancelled = cancelAtMs !== null && (runs || coversEnd(next));
  if (isCancelled) return 'ending';
  return runs && state === 'grace' ? 'active' : state;
}

const isCovered = ({ coverage }: Paid, nowMs: number): boolean =>
  coverage !== null && coverage.untilMs > nowMs;

/**
 * Returns whether all of the time until a cancelled subscription ends is paid for, so that nothing is
 * overdue.
 */
const coversEnd = ({ paid, cancelAtMs }: SubscriptionFacts): boolean =>
  cancelAtMs !== null && paid.coverage !== null && paid.coverage.untilMs >= cancelAtMs;

/** An ended subscription needs no plan: the last one stays in the row. */
const endedOf = (previous: Subscription | null, next: SubscriptionFacts): Subscription | null =>
  previous && {
    ...previous,
    state: 'ended',
    endsAtMs: next.endedAtMs,
    failedAtMs: null,
    graceUntilMs: null,
    nextCharge: null,
    nextChargeAtMs: null,
    isPaymentUnderWay: false,
    isPaused: false,
    pausedUntilMs: null,
    problem: null,
  };

/**
 * Returns when the overdue payment failed. Stripe reports no time for a debit, so it is the time at which
 * that was first seen. While the plan is paid for, a failed charge for something else counts as none.
 */
function failedAt(
  { paid, trialUntilMs, status }: SubscriptionFacts,
  previous: Subscription | null,
  nowMs: number,
): number | null {
  if (paid.due !== 'failed' && isCovered(paid, nowMs)) return null;
  const earlier = previous?.state === 'grace' ? previous.failedAtMs : null;
  const coverageEndMs = paid.due === 'failed' ? null : (paid.coverage?.untilMs ?? null);
  return paid.failedAtMs ?? coverageEndMs ?? earlier ?? (status === 'paused' ? trialUntilMs : null) ?? nowMs;
}

function termsOf(
  state: SubscriptionState,
  { next, previous, nowMs }: { next: SubscriptionFacts; previous: Subscription | null; nowMs: number },
): Pick<Subscription, 'failedAtMs' | 'graceUntilMs' | 'endsAtMs'> {
  const paidUntilMs = next.paid.coverage?.untilMs ?? 0;
  if (state === 'grace') {
    const failedAtMs = failedAt(next, previous, nowMs);
    const graceUntilMs = Math.max(paidUntilMs, failedAtMs === null ? 0 : failedAtMs + GRACE_MS);
    return { failedAtMs, graceUntilMs, endsAtMs: next.cancelAtMs };
  }
  const none = { failedAtMs: null, graceUntilMs: null };
  if (state === 'ended') return { ...none, endsAtMs: next.endedAtMs };
  if (state === 'covered') return { ...none, endsAtMs: paidUntilMs };
  return { ...none, endsAtMs: next.cancelAtMs && Math.max(next.cancelAtMs, paidUntilMs) };
}

function rowOf(from: {
  userId: string;
  previous: Subscription | null;
  next: SubscriptionFacts;
  plan: Plan;
  nowMs: number;
}): Subscription | null {
  const { userId, next, nowMs } = from;
  const state = stateOf(next, nowMs);
  if (!state) return null;
  // After the end only paid time goes on, so an upgrade whose payment was returned does not.
  const covered = state === 'covered' ? next.paid.coverage : null;
  const { product, tier, period } = covered?.plan ?? from.plan;
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
    paidUntilMs: next.paid.coverage?.untilMs ?? null,
    ...termsOf(state, from),
    nextTier: later?.tier ?? null,
    nextPeriod: later?.period ?? null,
    nextAtMs: later?.atMs ?? null,
    price: next.price,
    nextPrice: later?.price ?? null,
    nextCharge: next.upcoming?.amount ?? null,
    nextChargeAtMs: next.upcoming?.atMs ?? null,
    isPaymentUnderWay: next.paid.due === 'underWay',
    isPaused: next.pause !== null,
    pausedUntilMs: next.pause?.untilMs ?? null,
    currency: next.currency,
    problem: null,
    createdAtMs: next.createdAtMs,
  };
}

function changeOf(previous: Subscription | null, row: Subscription): Change {
  const [from, to] = [previous?.state ?? null, row.state];
  if (to === 'ended' || to === 'covered') return endOf(previous, row);
  if (from === null) return 'started';
  if (to === 'grace') return from === 'grace' ? sameOr(previous, row) : 'paymentFailed';
  if (from === 'grace') return 'recovered';
  return sameOr(previous, row);
}

/**
 * Names the change to a subscription that has ended at Stripe: paid time may go on, or come back after a
 * dispute was won.
 */
function endOf(previous: Subscription | null, row: Subscription): Change {
  if (row.state === 'covered') return previous ? sameOr(previous, row) : 'started';
  return previous === null || previous.state === 'ended' ? 'none' : 'ended';
}

const sameOr = (previous: Subscription | null, row: Subscription): Change =>
  JSON.stringify(sorted(previous)) === JSON.stringify(sorted(row)) ? 'none' : 'updated';

const sorted = (row: Subscription | null) => row && Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
