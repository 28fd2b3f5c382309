import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { countedInCustody, items } from '#db/schema/item.ts';

/** Lists the asset ids of a bot's items in one game: any other asset in its inventory belongs to no item. */
export async function listCustodyAssets(
  q: Reader,
  { botId, appId }: { botId: string; appId: number },
): Promise<Set<string>> {
  const rows = await q
    .select({ assetId: items.assetId })
    .from(items)
    .where(and(eq(items.botId, botId), eq(items.appId, appId), within(items.state, countedInCustody)));
  return new Set(rows.map(({ assetId }) => assetId));
}
