import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { advanceTransfer } from './advance-transfer.ts';
import { underWay } from './under-way.ts';

/**
 * A sending whose lease ran out, or that a holder left behind which is gone (`livingHolder` has the bot now), may
 * have reached Steam: it becomes `uncertain` and is looked for. Returns how many.
 */
export async function markLostSendingsUncertain(
  database: Database,
  { botId, livingHolder }: { botId: string; livingHolder: string },
  nowMs: number,
  systemMs: number,
): Promise<number> {
  return database.transaction(async (tx) => {
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
