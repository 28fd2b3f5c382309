import type { Tx } from '#db/database.ts';
import { type BillingAct, listActsOf, wantActs, withdrawActs } from './billing-acts.ts';
import { endsAtOnce } from './cancelling.ts';
import type { Surplus } from './surplus.ts';
import { isLive, type Subscription, type SubscriptionFacts } from './transition.ts';

/** A live subscription whose payment was returned. */
export interface Reversed {
  id: string;
  why: 'refund' | 'dispute';
}

/**
 * Finds live subscriptions whose present plan is no longer paid for, because a refund or a dispute took the
 * money.
 */
export const reversedOf = (facts: readonly SubscriptionFacts[], surplus: readonly Surplus[]): Reversed[] =>
  facts.flatMap((each) => {
    const { id, paid } = each;
    const isMeant = isLive(each) && paid.reversedBy !== null && !surplus.some((other) => other.id === id);
    return isMeant && paid.reversedBy !== null ? [{ id, why: paid.reversedBy }] : [];
  });

interface Decided {
  userId: string;
  facts: readonly SubscriptionFacts[];
  /** The rows as they are stored now. */
  rows: readonly Subscription[];
  surplus: readonly Surplus[];
  reversed: readonly Reversed[];
}

/**
 * Records the acts that Stripe has to carry out because of the fetched facts, and withdraws those that the
 * facts no longer require: for example, a payment came before its subscription was cancelled.
 */
export async function decideActs(tx: Tx, decided: Decided, nowMs: number): Promise<void> {
  const { userId, facts, surplus, reversed } = decided;
  const due = await listActsOf(tx, userId);
  await withdrawActs(
    tx,
    due.filter((act) => isUnfounded(act, decided)),
    nowMs,
  );
  const refunds = surplus.flatMap(({ why, payments }) =>
    payments.map((subjectId) => ({ kind: 'refund', subjectId, why }) as const),
  );
  const cancels = [...surplus, ...reversed].map(({ id }) => ({ kind: 'cancel', subjectId: id }) as const);
  const releases = servedIn(facts).map((subjectId) => ({ kind: 'release', subjectId }) as const);
  await wantActs(tx, userId, [...refunds, ...cancels, ...releases], nowMs);
}

const servedIn = (facts: readonly SubscriptionFacts[]): string[] =>
  facts.flatMap(({ servedScheduleId }) => servedScheduleId ?? []);

/** If the subscription has ended meanwhile, unpaid invoices may still have to be voided. */
function isUnfounded({ kind, subjectId }: BillingAct, { facts, rows, surplus, reversed }: Decided): boolean {
  if (kind === 'release') return !servedIn(facts).includes(subjectId);
  if (kind !== 'cancel' || !facts.some((each) => each.id === subjectId && isLive(each))) return false;
  const isWanted = [...surplus, ...reversed, ...rows.filter(endsAtOnce)].some(({ id }) => id === subjectId);
  return !isWanted;
}
