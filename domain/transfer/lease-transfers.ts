import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { skipLocked } from '#db/dialect.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { botLock } from '#domain/locks.ts';
import { findSendingStop } from '#domain/operator/find-sending-stop.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { dueTransfers } from '#domain/transfer/due-transfers.ts';
import { countOpenOffers } from '#domain/transfer/open-offers.ts';

/** When this lease ends, the send was interrupted and its outcome counts as unknown. System time. */
export const SENDING_LEASE_MS = 120_000;

/** Everything the bot needs to send one offer. */
export interface LeasedTransfer {
  id: string;
  kind: (typeof transfers.$inferSelect)['kind'];
  partnerSteamId: string;
  tradeToken: string;
  securityCode: string;
  attempts: number;
  assets: { appId: number; contextId: string; assetId: string }[];
}

/**
 * Leases due transfers of one bot to `holder` and marks them `sending`, claims first, up to Steam's offer limits; each
 * kind has places of its own, and an account has few deposits on Steam at once. Leases none while the operator has
 * stopped sending. No other process sends a leased
 * transfer: after a crash it becomes `uncertain`, not `queued`.
 */
export async function leaseTransfers(
  database: Database,
  {
    botId,
    holder,
    limit = 5,
    checkedClaims = [],
  }: { botId: string; holder: string; limit?: number; checkedClaims?: readonly string[] },
  nowMs: number,
  systemMs: number,
): Promise<LeasedTransfer[]> {
  return database.transaction(
    async (tx) => {
      if (await findSendingStop(tx)) return [];
      const open = await countOpenOffers(tx, botId);
      const due = await skipLocked(dueTransfers(tx, { botId, checkedClaims, open }, nowMs));
      const leased: LeasedTransfer[] = [];
      for (const transfer of due) {
        if (leased.length >= limit) break;
        if (!open.hasPlaceFor(transfer)) continue;
        if (!(await advanceTransfer(tx, transfer.id, { event: 'started' }, nowMs))) continue;
        await tx
          .update(transfers)
          .set({
            leaseHolder: holder,
            leaseUntilMs: systemMs + SENDING_LEASE_MS,
            attempts: transfer.attempts + 1,
          })
          .where(eq(transfers.id, transfer.id));
        open.add({ ...transfer, offers: 1 });
        leased.push({
          ...transfer,
          attempts: transfer.attempts + 1,
          assets: await assetsOf(tx, transfer.id),
        });
      }
      return leased;
    },
    { lock: botLock(botId) },
  );
}

const assetsOf = (tx: Tx, transferId: string) =>
  tx
    .select({
      appId: transferItems.appId,
      contextId: transferItems.contextId,
      assetId: transferItems.assetId,
    })
    .from(transferItems)
    .where(eq(transferItems.transferId, transferId));
