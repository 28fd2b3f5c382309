import { isDeepStrictEqual } from 'node:util';
import { and, eq, inArray } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { countedInCustody, items } from '#db/schema/item.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { insertManyInto } from '#db/write.ts';
import { alarmOfInventory } from '#domain/custody/alarm-of-inventory.ts';
import { assetFactsOf } from '#domain/item/asset-facts-of.ts';
import { botLock } from '#domain/kernel/locks.ts';

const insertUnknown = insertManyInto(unknownAssets, 'unknown_assets');

/**
 * Stores which assets of a complete inventory reading of one game belong to no item, with the time they were first
 * seen; what changed of a known one, such as its amount, is stored. Assets that left the inventory or became an item are dropped. The operator gets a mail about those that stay
 * unknown. Returns the number of unknown assets.
 */
export async function recordUnknownAssets(
  db: Database,
  {
    botId,
    appId,
    found,
    operatorEmail = null,
  }: { botId: string; appId: number; found: readonly Asset[]; operatorEmail?: string | null },
  nowMs: number,
): Promise<number> {
  return db.transaction(
    async (tx) => {
      const owned = await ownedAssets(tx, botId, appId);
      const unknown = found.filter(({ assetId }) => !owned.has(assetId));
      const ofGame = and(eq(unknownAssets.botId, botId), eq(unknownAssets.appId, appId));
      const rows = await tx.select().from(unknownAssets).where(ofGame);
      const known = new Map(rows.map((row) => [row.assetId, assetFactsOf(row)]));
      const present = new Set(unknown.map(({ assetId }) => assetId));
      const ended = [...known.keys()].filter((assetId) => !present.has(assetId));
      if (ended.length > 0)
        await tx.delete(unknownAssets).where(and(ofGame, inArray(unknownAssets.assetId, ended)));
      if (known.size > ended.length)
        await tx.update(unknownAssets).set({ lastSeenAtMs: nowMs }).where(ofGame);
      for (const asset of unknown) await storeChanges(tx, botId, asset, known.get(asset.assetId));
      const added = unknown.filter(({ assetId }) => !known.has(assetId));
      await insertUnknown(
        tx,
        added.map((asset) => unknownAsset(botId, asset, nowMs)),
      );
      await alarmOfInventory(tx, { botId, concern: 'unknown', operatorEmail }, nowMs);
      return unknown.length;
    },
    { lock: botLock(botId) },
  );
}

/** Returns whether the last reading of one game had assets that belong to no item. */
export async function hasUnknownAssets(
  q: Reader,
  { botId, appId }: { botId: string; appId: number },
): Promise<boolean> {
  const [unknown] = await q
    .select({ assetId: unknownAssets.assetId })
    .from(unknownAssets)
    .where(and(eq(unknownAssets.botId, botId), eq(unknownAssets.appId, appId)))
    .limit(1);
  return unknown !== undefined;
}

async function ownedAssets(tx: Tx, botId: string, appId: number): Promise<Set<string>> {
  const rows = await tx
    .select({ assetId: items.assetId })
    .from(items)
    .where(and(eq(items.botId, botId), eq(items.appId, appId), within(items.state, countedInCustody)));
  return new Set(rows.map(({ assetId }) => assetId));
}

async function storeChanges(tx: Tx, botId: string, asset: Asset, known?: Required<Asset>): Promise<void> {
  const facts = assetFactsOf(asset);
  if (!known || isDeepStrictEqual(facts, known)) return;
  const { appId, assetId } = facts;
  const isThis = and(
    eq(unknownAssets.botId, botId),
    eq(unknownAssets.appId, appId),
    eq(unknownAssets.assetId, assetId),
  );
  await tx.update(unknownAssets).set(facts).where(isThis);
}

const unknownAsset = (botId: string, asset: Asset, nowMs: number): typeof unknownAssets.$inferInsert => ({
  botId,
  ...assetFactsOf(asset),
  firstSeenAtMs: nowMs,
  lastSeenAtMs: nowMs,
});
