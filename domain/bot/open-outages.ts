import { asc, type SQL, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { outages } from '#db/schema/bot.ts';
import { newId } from '#domain/kernel/id.ts';

// While claim windows are still to be extended by an outage, its id begins with this and ends with the last reward that
// was: so both change in one statement of the slice's transaction.
const OPEN = 'open:';

const openId = (outageId: string, throughId: string): string => `${OPEN}${outageId}:${throughId}`;

/** Matches outages whose length not all claim windows have got yet. */
export const isOpenOutage: SQL = sql`${outages.id} like ${sql.raw(`'${OPEN}%'`)}`;

/** An outage by which windows are still to be extended, in the order of the rewards' ids. */
export interface OpenOutage {
  /** Its id once it is closed. */
  id: string;
  /** The row's id as it is now. */
  rowId: string;
  endedAtMs: number;
  lastedMs: number;
  /** The last reward whose window was extended; empty at the beginning. */
  throughId: string;
}

/** Records a period in which nobody could deliver, and by which `extendClaimWindows` extends the windows after the commit. */
export async function openOutage(tx: Tx, lastedMs: number, nowMs: number): Promise<void> {
  await tx.insert(outages).values({ id: openId(newId(nowMs), ''), endedAtMs: nowMs, lastedMs });
}

/** Lists the open outages, the oldest first. */
export async function listOpenOutages(q: Reader): Promise<OpenOutage[]> {
  const rows = await q.select().from(outages).where(isOpenOutage).orderBy(asc(outages.endedAtMs));
  return rows.map((row) => {
    const [id = '', throughId = ''] = row.id.slice(OPEN.length).split(':');
    return { id, rowId: row.id, endedAtMs: row.endedAtMs, lastedMs: row.lastedMs, throughId };
  });
}

/** Records that the windows up to this reward are extended; null: all are, and the outage is closed. */
export async function advanceOutage(
  tx: Tx,
  { id, rowId }: OpenOutage,
  throughId: string | null,
): Promise<void> {
  await tx
    .update(outages)
    .set({ id: throughId === null ? id : openId(id, throughId) })
    .where(sql`${outages.id} = ${rowId}`);
}
