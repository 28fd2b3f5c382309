import { z } from 'zod';

export const count = z.int().min(0);
/** A moment, in UTC. */
export const moment = z.iso.datetime();
export const momentOrNull = moment.nullable();
export const bot = z.strictObject({ name: z.string(), steam_id: z.string().nullable() });

/** The attributes of every item. */
export const itemFacts = {
  market_hash_name: z.string(),
  name: z.string(),
  icon_url: z.string(),
  type_line: z.string(),
  type_tag: z.string(),
  rarity_tag: z.string(),
  exterior: z.string(),
  traits: z.string(),
  wear: z.string(),
};
export const kindFacts = { app_id: z.int(), ...itemFacts };
export const pool = {
  free: count,
  promised: count,
  reserved: count,
  claimed: count,
  recalled: count,
};
