import { and, eq, max } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { countedInCustody, items, ledgerEntries } from '#db/schema/item.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { botLock } from '#domain/locks.ts';
import { announce } from '#domain/outbox/announce.ts';

/** An asset in the inventory. */
interface FoundAsset {
  assetId: string;
  contextId: string;
  classId: string;
}

/** A bot's inventory of one game, all contexts, read at one time. */
export interface InventoryReading {
  botId: string;
  appId: number;
  found: readonly FoundAsset[];
  /** When the reading began. Items that moved later are not judged by it. */
  readAtMs: number;
}

/**
 * Reconciles a bot's items with its inventory: a held item that is absent becomes missing, and a missing item that is
 * present becomes held. An item whose protection ended gets its new context and, if it changed, its new asset id.
 * Items in an open offer are skipped. Returns the number lost and found.
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
      const announced = [...owners].map(([userId, subjectId]) => ({
        userId,
        kind: 'items.changed' as const,
        subjectId,
      }));
      await announce(tx, announced, nowMs);
      return result;
    },
    { lock: botLock(botId) },
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
 * Finds an item whose asset id changed when its protection ended. Steam does not document whether ids stay the same,
 * so an asset matches only if it is unambiguous: exactly one absent item of its class, and exactly one unknown asset
 * of that class in another context.
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
