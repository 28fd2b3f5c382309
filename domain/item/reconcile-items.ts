import { and, eq, max } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { countedInCustody, items, ledgerEntries } from '#db/schema/item.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { announce } from '#domain/outbox/announce.ts';

/** An asset as the inventory shows it. */
interface FoundAsset {
  assetId: string;
  contextId: string;
  classId: string;
}

/** One game's part of a bot's inventory, every context of it, as it was read at one time. */
export interface InventoryReading {
  botId: string;
  appId: number;
  found: readonly FoundAsset[];
  /** When the reading began: what moved since then is not judged by it. */
  readAtMs: number;
}

/**
 * Compares what a bot should hold with what its inventory shows: a held item that is not there becomes missing, a
 * missing one that is there is held again, and one whose protection ended is noted under its new context and, should it
 * have got one, its new id. What an offer is moving at this moment is left alone. Returns how many of each.
 */
export async function reconcileItems(
  database: Database,
  { botId, appId, found, readAtMs }: InventoryReading,
  nowMs: number,
): Promise<{ lost: number; found: number }> {
  const byId = new Map(found.map((asset) => [asset.assetId, asset]));
  return database.transaction(
    async (tx) => {
      const rows = await knownItems(tx, botId, appId);
      const strangers = found.filter(({ assetId }) => !rows.some((row) => row.assetId === assetId));
      const absent = rows.filter(({ state, assetId }) => state === 'held' && !byId.has(assetId));
      const result = { lost: 0, found: 0 };
      const owners = new Map<string, string>();
      for (const row of rows) {
        if (row.state === 'outgoing' || Number(row.movedAtMs ?? 0) >= readAtMs) continue;
        const asset = byId.get(row.assetId) ?? renamed(row, absent, strangers, nowMs);
        if ((asset !== undefined) !== (row.state === 'held')) {
          const step = { event: asset ? 'found' : 'lost', cause: 'reconciliation' } as const;
          if (!(await advanceItem(tx, row.id, step, nowMs))) continue;
          result[step.event] += 1;
          owners.set(row.ownerId, row.id);
        }
        if (asset && (asset.contextId !== row.contextId || asset.assetId !== row.assetId))
          await tx
            .update(items)
            .set({ contextId: asset.contextId, assetId: asset.assetId })
            .where(eq(items.id, row.id));
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

type KnownItem = Awaited<ReturnType<typeof knownItems>>[number];

const knownItems = (tx: Tx, botId: string, appId: number) =>
  tx
    .select({
      id: items.id,
      ownerId: items.ownerId,
      state: items.state,
      assetId: items.assetId,
      contextId: items.contextId,
      classId: items.classId,
      lockedUntilMs: items.lockedUntilMs,
      movedAtMs: max(ledgerEntries.atMs),
    })
    .from(items)
    .innerJoin(ledgerEntries, eq(ledgerEntries.itemId, items.id))
    .where(and(eq(items.botId, botId), eq(items.appId, appId), within(items.state, countedInCustody)))
    .groupBy(items.id);

/**
 * Whether Steam keeps an asset's id when its protection ends is not documented. Should it not, the item is known again
 * only where no doubt is possible: one absent item of its class, and one asset of it in another context that is nobody's.
 */
function renamed(
  row: KnownItem,
  absent: readonly KnownItem[],
  strangers: readonly FoundAsset[],
  nowMs: number,
): FoundAsset | undefined {
  if (row.state !== 'held' || row.lockedUntilMs > nowMs) return undefined;
  const alike = strangers.filter(
    ({ classId, contextId }) => classId === row.classId && contextId !== row.contextId,
  );
  const isOnly = absent.filter(({ classId }) => classId === row.classId).length === 1;
  return isOnly && alike.length === 1 ? alike[0] : undefined;
}
