import { and, eq, inArray } from 'drizzle-orm';
import { type Database, isUniqueViolation } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { findFreeze } from '#domain/identity/find-freeze.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { type TradingPartner, tradingPartner } from '#domain/identity/steam/trading-partner.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { available } from '#domain/item/available.ts';
import { heldBackAfterChange } from '#domain/item/steam-change.ts';
import { unassigned } from '#domain/item/unassigned.ts';
import { newId } from '#domain/kernel/id.ts';
import { type ItemsTx, itemsLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';
import { queueTransfer } from '#domain/transfer/queue-transfer.ts';

export type ReturnRefusal =
  | 'nothingPicked'
  | 'tooManyItems'
  | 'steamNotLinked'
  | 'tradeLinkMissing'
  | 'itemUnavailable'
  | 'steamChangedRecently'
  /** The owner disowned what was done in their account, and has not ended the freeze yet. */
  | 'accountFrozen'
  /** Items would go to another Steam account than they came from. */
  | 'identityUnconfirmed';

/**
 * Queues offers that return items to their streamer, one per bot that holds any of them. All items must be the
 * user's, held, unlocked and on no rule; otherwise nothing is queued. Items go to another Steam account than they came
 * from only if their owner just `confirmed` who they are, and the owner is mailed. A repeated `requestId` returns the
 * first result.
 */
export async function returnItems(
  db: Database,
  request: { requestId: string; userId: string; itemIds: readonly string[]; confirmed?: boolean },
  nowMs: number,
): Promise<Outcome<{ transferIds: string[] }, ReturnRefusal>> {
  const { requestId, userId, confirmed = false } = request;
  const itemIds = [...new Set(request.itemIds)];
  if (itemIds.length === 0) return refuse('nothingPicked');
  if (itemIds.length > MAX_ITEMS_PER_OFFER) return refuse('tooManyItems');
  try {
    return await refusable<Outcome<{ transferIds: string[] }, ReturnRefusal>, ReturnRefusal>(() =>
      db.transaction(
        async (tx) => {
          if (await findTransferOf(tx, requestId, userId)) return done({ transferIds: [requestId] });
          if (await findFreeze(tx, { userId })) return refuse('accountFrozen');
          const link = await tradingPartner(tx, userId);
          if (!link.ok) return link;
          const returnable = await returnableItems(tx, userId, itemIds, nowMs);
          if (returnable.length !== itemIds.length) return refuse('itemUnavailable');
          if (await heldBackAfterChange(tx, { ownerId: userId, itemIds }, nowMs))
            return refuse('steamChangedRecently');
          if (returnable.some((item) => item.depositorSteamId !== link.partner.steamId)) {
            if (!confirmed) return refuse('identityUnconfirmed');
            const { steamId: steam } = link.partner;
            await notifyOfChange(tx, { userId, change: 'returnElsewhere', steam }, nowMs);
          }
          return done({
            transferIds: await queueReturns(tx, { requestId, userId }, link.partner, returnable, nowMs),
          });
        },
        { lock: itemsLock(userId) },
      ),
    );
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('itemUnavailable');
    throw error;
  }
}

type Item = Pick<typeof items.$inferSelect, 'id' | 'botId' | 'depositorSteamId'>;

const returnableItems = (tx: ItemsTx, userId: string, itemIds: string[], nowMs: number): Promise<Item[]> =>
  tx
    .select({ id: items.id, botId: items.botId, depositorSteamId: items.depositorSteamId })
    .from(items)
    .where(and(inArray(items.id, itemIds), eq(items.ownerId, userId), available(nowMs), unassigned(tx)));

async function queueReturns(
  tx: ItemsTx,
  { requestId, userId }: { requestId: string; userId: string },
  partner: TradingPartner,
  returned: Item[],
  nowMs: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (const botId of new Set(returned.map((item) => item.botId))) {
    const given = returned.filter((item) => item.botId === botId);
    const id = ids.length === 0 ? requestId : newId(nowMs);
    await queueTransfer(
      tx,
      {
        id,
        kind: 'return',
        userId,
        botId,
        partner,
        itemIds: given.map((item) => item.id),
      },
      nowMs,
    );
    for (const item of given)
      if (!(await advanceItem(tx, item.id, { event: 'offered', cause: 'return', transferId: id }, nowMs)))
        throw new Refused<ReturnRefusal>('itemUnavailable');
    ids.push(id);
  }
  return ids;
}
