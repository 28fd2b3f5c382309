import { and, eq, inArray, max } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { announce } from '#domain/outbox/announce.ts';

/** One game's part of a bot's inventory, every context of it, as it was read at one time. */
export interface InventoryReading {
  botId: string;
  appId: number;
  found: readonly { assetId: string; contextId: string }[];
  /** When the reading began: what moved since then is not judged by it. */
  readAtMs: number;
}

/**
 * Compares what a bot should hold with what its inventory shows: a held item that is not there becomes missing, a
 * missing one that is there is held again, and one whose protection ended is noted under its new context. What an offer
 * is moving at this moment is left alone. Returns how many of each.
 */
export async function reconcileItems(
  database: Database,
  { botId, appId, found, readAtMs }: InventoryReading,
  nowMs: number,
): Promise<{ lost: number; found: number }> {
  const contextOf = new Map(found.map(({ assetId, contextId }) => [assetId, contextId]));
  return database.transaction(
    async (tx) => {
      const rows = await tx
        .select({
          id: items.id,
          ownerId: items.ownerId,
          state: items.state,
          assetId: items.assetId,
          contextId: items.contextId,
          movedAtMs: max(ledgerEntries.atMs),
        })
        .from(items)
        .innerJoin(ledgerEntries, eq(ledgerEntries.itemId, items.id))
        .where(and(eq(items.botId, botId), eq(items.appId, appId), inArray(items.state, ['held', 'missing'])))
        .groupBy(items.id);
      const result = { lost: 0, found: 0 };
      const owners = new Map<string, string>();
      for (const row of rows) {
        if (Number(row.movedAtMs ?? 0) >= readAtMs) continue;
        const contextId = contextOf.get(row.assetId);
        const isThere = contextId !== undefined;
        if (isThere !== (row.state === 'held')) {
          const step = { event: isThere ? 'found' : 'lost', cause: 'reconciliation' } as const;
          if (!(await advanceItem(tx, row.id, step, nowMs))) continue;
          result[isThere ? 'found' : 'lost'] += 1;
          owners.set(row.ownerId, row.id);
        }
        if (isThere && contextId !== row.contextId)
          await tx.update(items).set({ contextId }).where(eq(items.id, row.id));
      }
      const news = [...owners].map(([userId, subjectId]) => ({
        userId,
        kind: 'items.changed' as const,
        subjectId,
      }));
      await announce(tx, news, nowMs);
      return result;
    },
    { lock: `bot:${botId}` },
  );
}
