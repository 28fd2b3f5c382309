import { createHash } from 'node:crypto';
import type { draws } from '#db/schema/draw.ts';

/**
 * SHA-256 of everything a draw recorded and of the previous draw's fingerprint, so each one covers all draws
 * before it. The seed does not fix the list that a draw chose from, but anybody who saved a published
 * fingerprint can detect later changes to anything up to it.
 */
export function fingerprintOf(draw: typeof draws.$inferSelect): string {
  const { ruleId, number, twitchId, rewardId, previousFingerprint } = draw;
  const list = draw.candidates.map((each) => [each.appId, each.marketHashName, each.rewardId, each.weight]);
  const facts = [previousFingerprint, ruleId, number, drawnAtText(draw), twitchId, list, rewardId];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** The published time of a draw. */
export const drawnAtText = ({ drawnAtMs }: { drawnAtMs: number }): string =>
  new Date(drawnAtMs).toISOString();
