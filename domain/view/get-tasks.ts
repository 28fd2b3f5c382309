import type { Database } from '#db/database.ts';
import { getOpenOffers, type OpenOffers } from './get-open-offers.ts';
import { listRuleNeeds, type RuleNeeds } from './list-rule-needs.ts';
import { listUnlocks } from './list-unlocks.ts';

/** What a streamer can do something about today. */
export interface Tasks extends RuleNeeds {
  offers: OpenOffers | null;
  /** When locked items become usable, and how many each time. */
  unlocks: { atMs: number; items: number }[];
}

/** Returns what needs a streamer now, and the items that become usable until a moment. */
export async function getTasks(
  database: Database,
  { ownerId, untilMs }: { ownerId: string; untilMs: number },
  nowMs: number,
): Promise<Tasks> {
  const needs = await listRuleNeeds(database, { ownerId }, nowMs);
  const offers = await getOpenOffers(database, { ownerId });
  const unlocks = await listUnlocks(database, { ownerId, untilMs }, nowMs);
  return { ...needs, offers, unlocks };
}
