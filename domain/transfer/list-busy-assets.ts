import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';

/** Lists assets already included in one of the user's open deposits, as `appId/assetId`. */
export async function listBusyAssets(db: Database, { userId }: { userId: string }): Promise<Set<string>> {
  const rows = await db.read
    .select({ appId: transferItems.appId, assetId: transferItems.assetId })
    .from(transferItems)
    .innerJoin(transfers, eq(transfers.id, transferItems.transferId))
    .where(
      and(
        eq(transfers.userId, userId),
        within(transfers.state, liveTransferStates),
        is(transfers.kind, 'deposit'),
        eq(transferItems.open, true),
      ),
    );
  return new Set(rows.map(({ appId, assetId }) => `${appId}/${assetId}`));
}
