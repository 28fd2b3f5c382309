import { createHash } from 'node:crypto';
import type { draws } from '#db/schema/draw.ts';

type Draw = typeof draws.$inferSelect;

/**
 * SHA-256 of all that a draw recorded. The seed does not bind the list that a draw chose from: who keeps the fingerprint
 * that was shown on the day of the draw can tell later whether anything of it was changed.
 */
export const fingerprintOf = (draw: Omit<Draw, 'drawnAtMs'>): string =>
  createHash('sha256')
    .update(
      JSON.stringify([
        draw.ruleId,
        draw.number,
        draw.twitchId,
        draw.candidates.map((each) => [each.appId, each.marketHashName, each.rewardId, each.weight]),
        draw.rewardId,
      ]),
    )
    .digest('hex');
