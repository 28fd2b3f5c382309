import type { Database } from '#db/database.ts';
import type { Product } from '#db/schema/billing.ts';
import { billingLock } from '#domain/kernel/locks.ts';
import { type ActName, wantActs } from './billing-acts.ts';
import { findSubscription, listLiveSubscriptions } from './find-subscription.ts';
import type { Subscription } from './transition.ts';

type Dates = Pick<Subscription, 'state' | 'periodEndMs' | 'trialUntilMs' | 'paidUntilMs'>;

/**
 * Returns whether a subscription that is cancelled ends at once, because the payment for its present period
 * is missing. If the period is paid for, it goes on to its end, whatever else is overdue.
 */
export const endsAtOnce = ({ state, paidUntilMs, periodEndMs }: Dates): boolean =>
  state === 'grace' && (paidUntilMs ?? 0) < periodEndMs;

/** Returns until when the plan of a subscription that is cancelled now goes on; null if it ends at once. */
export function goesOnUntil(subscription: Dates, nowMs: number): number | null {
  const { paidUntilMs, trialUntilMs, periodEndMs } = subscription;
  if (!endsAtOnce(subscription)) return trialUntilMs ?? periodEndMs;
  return paidUntilMs !== null && paidUntilMs > nowMs ? paidUntilMs : null;
}

/**
 * Decides how a user's subscription is cancelled, and records the cancellation if it is immediate. Null if
 * there is none, or it has been cancelled.
 */
export const decideCancel = (
  db: Database,
  asked: { userId: string; product: Product },
  nowMs: number,
): Promise<{ id: string; isAtOnce: boolean } | null> =>
  db.transaction(
    async (tx) => {
      const current = await findSubscription(tx, asked);
      if (!current || current.state === 'ending') return null;
      const isAtOnce = endsAtOnce(current);
      if (isAtOnce) await wantActs(tx, asked.userId, [cancelOf(current)], nowMs);
      return { id: current.id, isAtOnce };
    },
    { lock: billingLock(asked.userId) },
  );

/**
 * Records that a subscription whose grace period is over is cancelled. Returns false if the period is not
 * over.
 */
export const cancelOverdue = (
  db: Database,
  { id, userId }: { id: string; userId: string },
  nowMs: number,
): Promise<boolean> =>
  db.transaction(
    async (tx) => {
      const live = await listLiveSubscriptions(tx, userId);
      const current = live.find((each) => each.id === id);
      if (!current || !isOverdue(current, nowMs)) return false;
      await wantActs(tx, userId, [cancelOf(current)], nowMs);
      return true;
    },
    { lock: billingLock(userId) },
  );

const isOverdue = ({ state, graceUntilMs, problem }: Subscription, nowMs: number): boolean =>
  state === 'grace' && graceUntilMs !== null && graceUntilMs <= nowMs && problem === null;

/** Records that all live subscriptions of a user are cancelled. Returns the acts. */
export const cancelAll = (db: Database, userId: string, nowMs: number): Promise<ActName[]> =>
  db.transaction(
    async (tx) => {
      const acts = (await listLiveSubscriptions(tx, userId)).map(cancelOf);
      await wantActs(tx, userId, acts, nowMs);
      return acts;
    },
    { lock: billingLock(userId) },
  );

const cancelOf = ({ id }: Pick<Subscription, 'id'>): ActName => ({ kind: 'cancel', subjectId: id });
