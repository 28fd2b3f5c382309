import type { Database } from '#db/database.ts';
import { exactFirst, type KindAmount, oldestOfKind } from '#domain/item/oldest-of-kind.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';
import { type ReturnRefusal, returnItems } from '#domain/transfer/return-items.ts';

/**
 * Returns items by kind and quantity, exact pieces before others of their kind, oldest first. Refuses with
 * `itemUnavailable` if any kind has too few. A repeated `requestId` returns the first result.
 */
export async function returnKinds(
  db: Database,
  request: { requestId: string; userId: string; kinds: readonly KindAmount[]; confirmed?: boolean },
  nowMs: number,
): Promise<Outcome<{ transferIds: string[] }, ReturnRefusal>> {
  const { requestId, userId, confirmed = false } = request;
  const wanted = request.kinds.filter((kind) => kind.quantity > 0);
  if (wanted.length === 0) return refuse('nothingPicked');
  if (wanted.reduce((sum, kind) => sum + kind.quantity, 0) > MAX_ITEMS_PER_OFFER)
    return refuse('tooManyItems');
  // The items of the first submit are already moving, so picking again would refuse a repeated request.
  if (await findTransferOf(db.read, requestId, userId)) return done({ transferIds: [requestId] });
  const itemIds: string[] = [];
  for (const kind of exactFirst(wanted)) {
    const picked = await oldestOfKind(db.read, userId, kind, nowMs, itemIds);
    if (picked.length < kind.quantity) return refuse('itemUnavailable');
    itemIds.push(...picked.map(({ id }) => id));
  }
  return returnItems(db, { requestId, userId, itemIds, confirmed }, nowMs);
}
