import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { transfers, type UnclearThing } from '#db/schema/transfer.ts';

type Transfer = typeof transfers.$inferSelect;

/**
 * Records what Steam leaves unclear of a transfer, so that the operator is told in time also after a restart; null if
 * it is clear. The time of the first look stays, unless the clock was ahead then. Changes nothing if the transfer took
 * a step after it was read.
 */
export async function recordUnclear(
  db: Database,
  {
    transfer,
    unclear,
  }: { transfer: Pick<Transfer, keyof UnclearFacts | 'id' | 'state'>; unclear: UnclearThing | null },
  nowMs: number,
): Promise<void> {
  const facts = unclearFacts(transfer, unclear, nowMs);
  if (facts.unclear === transfer.unclear && facts.unclearSinceMs === transfer.unclearSinceMs) return;
  await db.transaction(async (tx) => {
    await tx
      .update(transfers)
      .set(facts)
      .where(and(eq(transfers.id, transfer.id), is(transfers.state, transfer.state)));
  });
}

export type UnclearFacts = Pick<Transfer, 'unclear' | 'unclearSinceMs'>;

/** Returns what to store of a transfer, whatever was unclear of it before. */
export function unclearFacts(
  { unclearSinceMs }: UnclearFacts,
  unclear: UnclearThing | null,
  nowMs: number,
): UnclearFacts {
  if (unclear === null) return { unclear, unclearSinceMs: null };
  return { unclear, unclearSinceMs: Math.min(unclearSinceMs ?? nowMs, nowMs) };
}
