import type { draws } from '#db/schema/draw.ts';
import type { ServedRule, Waiting } from '#domain/draw/waiting-list.ts';

/** A free reward that may be promised. */
export interface FreeReward {
  id: string;
  itemName: string;
}

/** A free reward matched with the viewer who will receive it. */
export interface Pairing {
  rule: ServedRule;
  viewer: Waiting;
  reward: FreeReward;
  /** Set on random rules: the draw that chose the reward. */
  drawn?: { draw: typeof draws.$inferInsert; fingerprint: string };
}
