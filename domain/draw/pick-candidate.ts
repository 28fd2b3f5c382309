import { createHash, createHmac } from 'node:crypto';
import type { Candidate } from '#db/schema/draw.ts';

/** Identifies a draw: the n-th of a rule, for this viewer. */
export interface DrawKey {
  ruleId: string;
  number: number;
  twitchId: string;
}

/**
 * Picks a draw's candidate from nothing but the seed, the draw's key and the list, so that anyone can repeat
 * it: HMAC-SHA256 of `ruleId:number:twitchId`, keyed with the seed's text, read as one big-endian 256-bit
 * number, times the sum of all weights, divided by 2^256 rounding down. That position, counted along the
 * list, falls into one candidate's weight. The 2^256 numbers are spread so that no position gets more than
 * one number more than another, so the bias is negligible.
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

/** The commitment to the seed that a rule publishes when it is created. */
export const commitmentOf = (seed: string): string => createHash('sha256').update(seed).digest('hex');
