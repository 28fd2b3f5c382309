import { z } from 'zod';
import { kindKeyPattern } from '#app/services/items/picks.server.ts';
import { stopReasons } from '#db/schema/reward.ts';

export const count = z.int().min(0);
/** A moment, in UTC. */
export const moment = z.iso.datetime();
export const momentOrNull = moment.nullable();
export const bot = z.strictObject({ name: z.string(), steam_id: z.string().nullable() });

/** The id of a kind of item: one and the same in every list and on every rule. */
export const kindId = z.string().regex(kindKeyPattern);
/** The reason why a claim was stopped; null if it was not. */
export const stopReason = z.enum(stopReasons).nullable();
/** Number of stopped claims, by reason. */
export const stoppedCounts = z.strictObject({ account_stolen: count, rule_abused: count, mistake: count });

/** The attributes of every item. */
export const kindFacts = {
  kind_id: kindId,
  app_id: z.int(),
  market_hash_name: z.string(),
  name: z.string(),
  icon_url: z.string(),
  type_line: z.string(),
  type_tag: z.string(),
  rarity_tag: z.string(),
  exterior: z.string(),
  /** Traits that set a piece apart: its name, stickers or effect. */
  traits: z.array(z.string()),
  wear: z.string(),
  /** Number of pieces in a stack, which moves only whole; 1 for everything else. */
  amount: z.int().min(1),
};
export const pool = {
  free: count,
  promised: count,
  reserved: count,
  claimed: count,
  recalled: count,
};
