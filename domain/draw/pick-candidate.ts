import { createHash, createHmac } from 'node:crypto';
import type { Candidate } from '#db/schema/draw.ts';

/** Which draw is meant: the n-th of a rule, for this viewer. */
export interface DrawKey {
  ruleId: string;
  number: number;
  twitchId: string;
}

/**
 * The candidate that a draw takes, by nothing but the seed, the draw's key and the list, so that anybody can do it
 * again: HMAC-SHA256 under the seed's text, of `ruleId:number:twitchId`, read as one big-endian number of 256 bits,
 * times the sum of all weights, divided by 2^256 without remainder. Counted along the list, that place falls into one
 * candidate's weight. Of 2^256 numbers no place gets more than one over another, so nobody is favoured.
 */
export function pickCandidate<C extends Pick<Candidate, 'weight'>>(
  seed: string,
  { ruleId, number, twitchId }: DrawKey,
  candidates: readonly C[],
): C {
  const digest = createHmac('sha256', seed).update(`${ruleId}:${number}:${twitchId}`).digest('hex');
  const total = candidates.reduce((sum, { weight }) => sum + weight, 0);
  let place = Number((BigInt(`0x${digest}`) * BigInt(total)) >> 256n);
  for (const candidate of candidates) {
    if (place < candidate.weight) return candidate;
    place -= candidate.weight;
  }
  throw new Error(`draw ${number} of rule ${ruleId} has no candidates`);
}

/** What a rule publishes of its seed from its creation on. */
export const commitmentOf = (seed: string): string => createHash('sha256').update(seed).digest('hex');
