import { and, eq, exists, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { frozenOwner, frozenRule } from '#domain/transfer/not-frozen.ts';
import { outstandingStates } from '#domain/transfer/open-offers.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { underWay } from '#domain/transfer/under-way.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

/** The reason shown in a transfer's timeline if its rule, or its owner's account, was frozen. */
const FROZEN = 'frozen';

/**
 * Requests the cancellation of a bot's offers that may be on Steam and that a freeze must keep from being
 * accepted. Queued transfers stay queued. Repeating the request changes nothing, so it does not matter where
 * this was interrupted.
 */
export async function withdrawFrozen(
  db: Database,
  { botId }: { botId: string },
  nowMs: number,
): Promise<void> {
  const q = db.read;
  const frozen = await q
    .select({ id: transfers.id })
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(outstandingStates),
        eq(transfers.cancelWanted, false),
        or(exists(frozenRule(q)), exists(frozenOwner(q))),
      ),
    );
  for (const { id } of frozen)
    await transferTransaction(db, id, (tx) => withdrawTransfer(tx, id, { reason: FROZEN }, nowMs));
}
