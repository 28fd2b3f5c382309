import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { advanceTransfer, type TransferChange } from '#domain/transfer/advance-transfer.ts';
import { endBatchOf } from '#domain/transfer/end-batch.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { eventOfOffer, type SteamOfferState } from '#domain/transfer/transfer-machine.ts';

/** A transfer's offer in the state Steam reports. */
export interface OfferReport extends Omit<TransferChange, 'event' | 'runAtMs'> {
  offerId: string;
  steamState: SteamOfferState;
}

/**
 * Applies the state Steam reports for an offer. Steps we missed are applied first: an uncertain offer was found, an
 * unconfirmed one was confirmed. Reporting the same state twice changes nothing. `Accepted` requires the exchanged
 * assets. Returns whether anything changed.
 */
export async function reportOffer(
  db: Database,
  transferId: string,
  report: OfferReport,
  nowMs: number,
): Promise<boolean> {
  return transferTransaction(db, transferId, async (tx) => {
    let changed = false;
    for (const event of missedEvents(await stateOf(tx, transferId), report.steamState))
      changed = (await advanceTransfer(tx, transferId, { event, offerId: report.offerId }, nowMs)) || changed;
    const event = eventOfOffer[report.steamState];
    if (!event) return changed;
    const { steamState, ...change } = report;
    if (!(await advanceTransfer(tx, transferId, { ...change, event }, nowMs))) return changed;
    await endBatchOf(tx, transferId, nowMs);
    return true;
  });
}

async function stateOf(tx: Tx, transferId: string) {
  const [row] = await tx
    .select({ state: transfers.state })
    .from(transfers)
    .where(eq(transfers.id, transferId));
  return row?.state;
}

const endsUnconfirmed: ReadonlySet<SteamOfferState> = new Set([
  'Canceled',
  'CanceledBySecondFactor',
  'InvalidItems',
  'Invalid',
]);

function missedEvents(state: string | undefined, steamState: SteamOfferState) {
  const waits = steamState === 'CreatedNeedsConfirmation';
  if (state === 'uncertain') return waits ? (['foundUnconfirmed'] as const) : (['foundSent'] as const);
  if (state === 'unconfirmed' && !waits && !endsUnconfirmed.has(steamState)) return ['confirmed'] as const;
  return [];
}
