import { createHash } from 'node:crypto';
import type { draws } from '#db/schema/draw.ts';

/**
 * SHA-256 of all that a draw recorded, and of the fingerprint of the draw before it: each vouches for all draws up to its
 * own. The seed does not bind the list that a draw chose from; who keeps a fingerprint that was shown on its day can
 * tell later whether anything up to it was changed.
 */
export function fingerprintOf(draw: typeof draws.$inferSelect): string {
  const { ruleId, number, twitchId, rewardId, previousFingerprint } = draw;
  const list = draw.candidates.map((each) => [each.appId, each.marketHashName, each.rewardId, each.weight]);
  const facts = [previousFingerprint, ruleId, number, drawnAtText(draw), twitchId, list, rewardId];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

/** The moment of a draw as it is published. */
export const drawnAtText = ({ drawnAtMs }: { drawnAtMs: number }): string =>
  new Date(drawnAtMs).toISOString();
