import type { Database } from '#db/database.ts';
import { botCapacities } from '#db/schema/bot.ts';
import { listItemAssets } from '#domain/item/list-custody-assets.ts';
import { botLock } from '#domain/kernel/locks.ts';

/** A bot's own inventory of a game, with the number of items that the account has room for. */
export interface BackpackReading {
  botId: string;
  appId: number;
  slots: number;
  assetIds: readonly string[];
}

/**
 * Stores how many items of a game a bot can hold for others: the slots of its account without those that
 * other things take, such as items that cannot be traded or that the operator set aside as their own. A deposit that arrived and is not recorded yet
 * counts among these until the next reading. Storing it twice changes nothing.
 */
export async function recordCapacity(
  db: Database,
  { botId, appId, slots, assetIds }: BackpackReading,
): Promise<void> {
  await db.transaction(
    async (tx) => {
      const ours = await listItemAssets(tx, { botId, appId });
      const others = assetIds.filter((assetId) => !ours.has(assetId)).length;
      const capacity = Math.max(0, slots - others);
      await tx
        .insert(botCapacities)
        .values({ botId, appId, capacity })
        .onConflictDoUpdate({ target: [botCapacities.botId, botCapacities.appId], set: { capacity } });
    },
    { lock: botLock(botId) },
  );
}
