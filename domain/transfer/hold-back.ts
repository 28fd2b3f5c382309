import { and, eq, exists, inArray, isNotNull, notExists, type SQL, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { type TransferState, transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { announce } from '#domain/outbox/announce.ts';
import { extendClaimWindow } from '#domain/reward/extend-claim-window.ts';
import { recordGivenBack } from '#domain/transfer/own-delay.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** The reason, in its timeline, why a transfer is held back. */
const ITEM_UNCLEAR = 'itemUnclear';

/**
 * An item of the transfer that an audit found to differ from the ledger, and that the operator has not
 * resolved. Each item is looked up by itself, because a join may start from all unresolved findings.
 */
export const unclearItem = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(transferItems)
    .where(
      and(
        eq(transferItems.transferId, transfers.id),
        isNotNull(
          sql`(${q
            .select({ itemId: custodyDrifts.itemId })
            .from(custodyDrifts)
            .where(eq(custodyDrifts.itemId, transferItems.itemId))})`,
        ),
      ),
    );

/** Returns whether a transfer is waiting for the operator. */
export const isHeldBack = ({ state, lastError }: { state: TransferState; lastError: string | null }) =>
  state === 'queued' && lastError === ITEM_UNCLEAR;

/** Matches the transfer that this item is in, as long as that has not ended. */
const holds = (tx: Tx, itemId: string): SQL =>
  inArray(
    transfers.id,
    tx
      .select({ id: transferItems.transferId })
      .from(transferItems)
      .where(and(eq(transferItems.itemId, itemId), eq(transferItems.open, true))),
  );

/**
 * Records in the timeline of a queued transfer that it waits for the operator, if an item of it is unclear.
 */
export const holdBackTransfer = (tx: Tx, transferId: string, nowMs: number): Promise<void> =>
  holdBack(tx, eq(transfers.id, transferId), nowMs);

/** Like `holdBackTransfer`, for the transfer that this item is in. */
export const holdBackItem = (tx: Tx, itemId: string, nowMs: number): Promise<void> =>
  holdBack(tx, holds(tx, itemId), nowMs);

async function holdBack(tx: Tx, which: SQL, nowMs: number): Promise<void> {
  const held = await tx
    .update(transfers)
    .set({ lastError: ITEM_UNCLEAR })
    .where(
      and(
        which,
        underWay(['queued']),
        exists(unclearItem(tx)),
        sql`coalesce(${transfers.lastError}, '') <> ${ITEM_UNCLEAR}`,
      ),
    )
    .returning({ id: transfers.id, userId: transfers.userId });
  for (const transfer of held) await sayIn(tx, transfer, { event: 'heldBack', detail: ITEM_UNCLEAR }, nowMs);
}

/**
 * Resumes the queued transfer that this item held back, unless another item still does. Its viewer gets the
 * time back.
 */
export async function resumeTransfer(
  tx: Tx,
  { itemId, sinceMs }: { itemId: string; sinceMs: number },
  nowMs: number,
): Promise<void> {
  const resumed = await tx
    .update(transfers)
    // Cleared because nobody asked Twitch about it meanwhile.
    .set({ lastError: null, silentSinceMs: null })
    .where(and(holds(tx, itemId), underWay(['queued']), notExists(unclearItem(tx))))
    .returning({ id: transfers.id, userId: transfers.userId, rewardId: transfers.rewardId });
  for (const { rewardId, ...transfer } of resumed) {
    await sayIn(tx, transfer, { event: 'resumed', detail: null }, nowMs);
    if (rewardId === null) continue;
    // The clock may have been set back.
    const lastedMs = Math.max(0, nowMs - sinceMs);
    await extendClaimWindow(tx, rewardId, lastedMs);
    await recordGivenBack(tx, { rewardIds: [rewardId], sinceMs: nowMs - lastedMs }, nowMs);
    await announce(tx, [{ userId: transfer.userId, kind: 'reward.changed', subjectId: rewardId }], nowMs);
  }
}

async function sayIn(
  tx: Tx,
  { id: transferId, userId }: { id: string; userId: string },
  said: { event: string; detail: string | null },
  nowMs: number,
): Promise<void> {
  await tx
    .insert(transferSteps)
    .values({ id: newId(nowMs), transferId, state: 'queued', ...said, atMs: nowMs });
  await announce(tx, [{ userId, kind: 'transfer.changed', subjectId: transferId }], nowMs);
}
