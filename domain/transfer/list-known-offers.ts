import { inArray } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';

/** Returns those of these Steam offers that belong to a transfer. */
export async function listKnownOffers(q: Reader, offerIds: readonly string[]): Promise<Set<string>> {
  if (offerIds.length === 0) return new Set();
  const rows = await q
    .select({ offerId: transfers.offerId })
    .from(transfers)
    .where(inArray(transfers.offerId, [...offerIds]));
  return new Set(rows.flatMap(({ offerId }) => offerId ?? []));
}
