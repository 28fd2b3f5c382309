import { and, asc, eq, lte, notExists, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import type { KindAmount } from '#domain/reward/attach-rewards.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { MOST_ITEMS_PER_OFFER } from '#domain/transfer/request-deposit.ts';
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
  if (wanted.reduce((sum, kind) => sum + kind.quantity, 0) > MOST_ITEMS_PER_OFFER)
    return refuse('tooManyItems');
  // What the first submit took is moving by now and could not be picked again.
  if (await findTransferOf(database.read, requestId, userId)) return done({ transferIds: [requestId] });
  const itemIds: string[] = [];
  for (const kind of wanted) {
    const picked = await oldestOf(database, userId, kind, nowMs);
    if (picked.length < kind.quantity) return refuse('itemUnavailable');
    itemIds.push(...picked.map(({ id }) => id));
  }
  return returnItems(database, { requestId, userId, itemIds }, nowMs);
}

const oldestOf = (database: Database, userId: string, kind: KindAmount, nowMs: number) =>
  database.read
    .select({ id: items.id })
    .from(items)
    .where(
      and(
        eq(items.ownerId, userId),
        eq(items.appId, kind.appId),
        eq(items.marketHashName, kind.marketHashName),
        is(items.state, 'held'),
        lte(items.lockedUntilMs, nowMs),
        notExists(
          database.read
            .select({ one: sql`1` })
            .from(rewards)
            .where(and(eq(rewards.itemId, items.id), within(rewards.state, liveRewardStates))),
        ),
      ),
    )
    .orderBy(asc(items.receivedAtMs), asc(items.id))
    .limit(kind.quantity);
