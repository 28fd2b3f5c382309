import type { transfers } from '#db/schema/transfer.ts';
import type { ClaimFailure } from '#domain/outbox/queue-mail.ts';
import { PLACE_NEEDED } from '#domain/transfer/offer-limits.ts';

type Ended = Pick<typeof transfers.$inferSelect, 'state' | 'cancelWanted' | 'sentAtMs' | 'lastError'>;

/** Returns null for a delivery and for an unmet condition, which the reward names. */
export function claimFailureOf({ state, cancelWanted, sentAtMs, lastError }: Ended): ClaimFailure | null {
  if (state === 'failed') return { kind: 'refused', reason: lastError ?? 'unknown' };
  if (state === 'declined') return { kind: 'declined' };
  if (state === 'expired') return { kind: 'notAccepted' };
  if (state !== 'cancelled') return null;
  if (lastError === 'twitchSilent') return { kind: 'unanswered' };
  if (lastError === 'notConfirmed') return { kind: 'delayed' };
  if (sentAtMs !== null && (!cancelWanted || lastError === PLACE_NEEDED)) return { kind: 'notAccepted' };
  return lastError === null ? { kind: 'withdrawn' } : null;
}
