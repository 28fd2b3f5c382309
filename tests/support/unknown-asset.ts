import type { Database } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { asset } from '#tests/support/fixtures.ts';

/** An asset in the bot's inventory that belongs to no item, as the bot has reported it. */
export async function leaveUnknownAsset(
  db: Database,
  { botId, nowMs, facts = {} }: { botId: string; nowMs: number; facts?: Partial<Asset> },
): Promise<Asset> {
  const found = asset('Demo case', facts);
  await recordUnknownAssets(db, { botId, appId: found.appId, found: [found] }, nowMs);
  return found;
}
