import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { advanceTransfer } from './advance-transfer.ts';
import { underWay } from './under-way.ts';

/**
 * Marks interrupted sends `uncertain`: those whose lease expired or whose holder is not `livingHolder`, the process
 * that owns the bot now. They may have reached Steam, so the bot searches for them. Returns how many were marked.
 */
export async function markLostSendingsUncertain(
  db: Database,
  { botId, livingHolder }: { botId: string; livingHolder: string },
  nowMs: number,
  systemMs: number,
): Promise<number> {
  return db.transaction(async (tx) => {
    const sending = await tx
      .select({ id: transfers.id, holder: transfers.leaseHolder, leaseUntilMs: transfers.leaseUntilMs })
      .from(transfers)
      .where(and(eq(transfers.botId, botId), underWay(['sending'])));
    const lost = sending.filter((row) => row.leaseUntilMs <= systemMs || row.holder !== livingHolder);
    for (const { id } of lost)
      await advanceTransfer(tx, id, { event: 'answerLost', error: 'answerLost' }, nowMs);
    return lost.length;
  });
}
