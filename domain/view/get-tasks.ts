import type { Database } from '#db/database.ts';
import { getOpenOffers, type OpenOffers } from './get-open-offers.ts';
import { listRuleNeeds, type RuleNeeds } from './list-rule-needs.ts';
import { listUnlocks } from './list-unlocks.ts';

/** The matters that a streamer can act on today. */
export interface Tasks extends RuleNeeds {
  offers: OpenOffers | null;
  /** The times at which locked items become usable, and how many each time. */
  unlocks: { atMs: number; items: number }[];
}

/** Returns what a streamer should act on now, and the items that become usable before a moment. */
export async function getTasks(
  db: Database,
  { ownerId, untilMs }: { ownerId: string; untilMs: number },
  nowMs: number,
): Promise<Tasks> {
  const needs = await listRuleNeeds(db, { ownerId }, nowMs);
  const offers = await getOpenOffers(db, { ownerId });
  const unlocks = await listUnlocks(db, { ownerId, untilMs }, nowMs);
  return { ...needs, offers, unlocks };
}
