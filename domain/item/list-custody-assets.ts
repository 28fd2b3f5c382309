import { and, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { countedInCustody, items } from '#db/schema/item.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';

/** Lists the asset ids of a bot's items in one game. */
export async function listItemAssets(
  q: Reader,
  { botId, appId }: { botId: string; appId: number },
): Promise<Set<string>> {
  const rows = await q
    .select({ assetId: items.assetId })
    .from(items)
    .where(and(eq(items.botId, botId), eq(items.appId, appId), within(items.state, countedInCustody)));
  return new Set(rows.map(({ assetId }) => assetId));
}

/**
 * Lists the asset ids of a bot's items in one game, and of those that the operator declared as their own. Any
 * other asset in its inventory belongs to no item yet.
 */
export async function listCustodyAssets(
  q: Reader,
  { botId, appId }: { botId: string; appId: number },
): Promise<Set<string>> {
  const assetIds = await listItemAssets(q, { botId, appId });
  const setAside = await q
    .select({ assetId: unknownAssets.assetId })
    .from(unknownAssets)
    .where(
      and(
        eq(unknownAssets.botId, botId),
        eq(unknownAssets.appId, appId),
        isNotNull(unknownAssets.setAsideAtMs),
      ),
    );
  for (const { assetId } of setAside) assetIds.add(assetId);
  return assetIds;
}
