import { inArray } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { redemptions } from '#db/schema/redemption.ts';

/** Returns which of these redemptions are already stored. */
export async function listKnownRedemptions(q: Reader, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const known = await q
    .select({ id: redemptions.id })
    .from(redemptions)
    .where(inArray(redemptions.id, [...ids]));
  return new Set(known.map(({ id }) => id));
}
