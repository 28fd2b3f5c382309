import type { Subscription } from './transition.ts';

type Dates = Pick<Subscription, 'state' | 'periodEndMs' | 'trialUntilMs' | 'paidUntilMs'>;

/**
 * Whether a subscription that is cancelled ends at once: a payment for its present period is missing. One whose period is
 * paid for goes on to its end, whatever else is overdue.
 */
export const endsAtOnce = ({ state, paidUntilMs, periodEndMs }: Dates): boolean =>
  state === 'grace' && (paidUntilMs ?? 0) < periodEndMs;

/** Until when the plan of a subscription that is cancelled now is kept; null: not any longer. */
export function keptUntil(subscription: Dates, nowMs: number): number | null {
  const { paidUntilMs, trialUntilMs, periodEndMs } = subscription;
  if (!endsAtOnce(subscription)) return trialUntilMs ?? periodEndMs;
  return paidUntilMs !== null && paidUntilMs > nowMs ? paidUntilMs : null;
}
