import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { countedInCustody, items } from '#db/schema/item.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import type { unknownAssets } from '#db/schema/unknown-asset.ts';

type FoundAsset = Pick<typeof unknownAssets.$inferSelect, 'botId' | 'appId' | 'assetId' | 'classId'>;

/**
 * Returns whether an asset belongs to an item. A delivered item's asset is back after a reversal, which
 * Steam's own report will record.
 */
export async function isTaken(tx: Tx, { botId, appId, assetId }: FoundAsset): Promise<boolean> {
  const [holder] = await tx
    .select({ id: items.id })
    .from(items)
    .where(
      and(
        eq(items.botId, botId),
        eq(items.appId, appId),
        eq(items.assetId, assetId),
        within(items.state, [...countedInCustody, 'delivered']),
      ),
    )
    .limit(1);
  return holder !== undefined;
}

/** Returns whether an open deposit of the bot waits for an asset of this class. */
export async function isAwaited(tx: Tx, { botId, appId, classId }: FoundAsset): Promise<boolean> {
  const [awaited] = await tx
    .select({ id: transfers.id })
    .from(transfers)
    .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
    .where(
      and(
        eq(transfers.botId, botId),
        within(transfers.state, liveTransferStates),
        is(transfers.kind, 'deposit'),
        eq(transferItems.appId, appId),
        eq(transferItems.classId, classId),
      ),
    )
    .limit(1);
  return awaited !== undefined;
}
