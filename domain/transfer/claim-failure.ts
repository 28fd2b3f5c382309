import type { transfers } from '#db/schema/transfer.ts';
import { PLACE_NEEDED } from '#domain/transfer/offer-limits.ts';

/**
 * Why a claim ended without delivery. `refused`: Steam or the bot refused the offer, `reason` is one of our own error
 * codes. `declined`: the viewer declined it or countered it, which Steam treats alike. `notAccepted`: nobody answered
 * the offer in time, or while others waited for its place. `delayed`: we did not confirm the offer in time, so that the viewer
 * never saw it. `unanswered`: Twitch did not say in time whether the conditions still hold. `withdrawn`: the viewer
 * cancelled the claim.
 */
export type ClaimFailure =
  | { kind: 'refused'; reason: string }
  | { kind: 'declined' | 'notAccepted' | 'delayed' | 'unanswered' | 'withdrawn' };

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
