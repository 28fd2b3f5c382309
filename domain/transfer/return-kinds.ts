import type { Database } from '#db/database.ts';
import { type KindAmount, oldestOfKind } from '#domain/item/oldest-of-kind.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/request-deposit.ts';
import { type ReturnRefusal, returnItems } from '#domain/transfer/return-items.ts';

/**
 * Sends items back by kind and quantity, the oldest of each kind first: what a streamer picks is a number, what moves is
 * exact items. Refuses with `itemUnavailable` when a kind has too few; a second submit of `requestId` answers the first.
 */
export async function returnKinds(
  database: Database,
  request: { requestId: string; userId: string; kinds: readonly KindAmount[] },
  nowMs: number,
): Promise<Outcome<{ transferIds: string[] }, ReturnRefusal>> {
  const { requestId, userId } = request;
  const wanted = request.kinds.filter((kind) => kind.quantity > 0);
  if (wanted.length === 0) return refuse('nothingPicked');
  if (wanted.reduce((sum, kind) => sum + kind.quantity, 0) > MAX_ITEMS_PER_OFFER)
    return refuse('tooManyItems');
  // What the first submit took is moving by now and could not be picked again.
  if (await findTransferOf(database.read, requestId, userId)) return done({ transferIds: [requestId] });
  const itemIds: string[] = [];
  for (const kind of wanted) {
    const picked = await oldestOfKind(database.read, userId, kind, nowMs);
    if (picked.length < kind.quantity) return refuse('itemUnavailable');
    itemIds.push(...picked.map(({ id }) => id));
  }
  return returnItems(database, { requestId, userId, itemIds }, nowMs);
}
