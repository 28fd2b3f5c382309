import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { transfers } from '#db/schema/transfer.ts';
import { leaseLeftMs } from '#domain/kernel/lease.ts';
import { advanceTransfer } from './advance-transfer.ts';
import { SENDING_LEASE_MS } from './lease-transfers.ts';
import { underWay } from './under-way.ts';

/**
 * Marks interrupted sends `uncertain`: those whose lease ended or whose holder is not `livingHolder`, the process that
 * owns the bot now, except for the one that it is still sending. They may have reached Steam, so the bot searches for
 * them. Returns their ids.
 */
export async function markLostSendingsUncertain(
  db: Database,
  {
    botId,
    livingHolder,
    sendingId = null,
  }: { botId: string; livingHolder: string; sendingId?: string | null },
  nowMs: number,
  systemMs: number,
): Promise<string[]> {
  return db.transaction(async (tx) => {
    const sending = await tx
      .select({ id: transfers.id, holder: transfers.leaseHolder, leaseUntilMs: transfers.leaseUntilMs })
      .from(transfers)
      .where(and(eq(transfers.botId, botId), underWay(['sending'])));
    const lost = sending.filter(
      ({ id, holder, leaseUntilMs }) =>
        holder !== livingHolder ||
        (id !== sendingId && leaseLeftMs(leaseUntilMs, SENDING_LEASE_MS, systemMs) === 0),
    );
    for (const { id } of lost)
      await advanceTransfer(tx, id, { event: 'answerLost', error: 'answerLost' }, nowMs);
    return lost.map(({ id }) => id);
  });
}
