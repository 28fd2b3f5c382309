import { asc, type SQL, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { outages } from '#db/schema/bot.ts';
import { newId } from '#domain/kernel/id.ts';

// The id of an outage begins with this while claim windows are still to be extended by it, and ends with the
// last reward that was extended. One statement in each slice's transaction changes both.
const OPEN = 'open:';

const openId = (outageId: string, throughId: string): string => `${OPEN}${outageId}:${throughId}`;

/** Matches outages by which not all claim windows have been extended yet. */
export const isOpenOutage: SQL = sql`${outages.id} like ${sql.raw(`'${OPEN}%'`)}`;

/** An outage by which windows are still to be extended, in the order of the rewards' ids. */
export interface OpenOutage {
  /** The id that it gets once it is closed. */
  id: string;
  /** The row's id as it is now. */
  rowId: string;
  endedAtMs: number;
  lastedMs: number;
  /** The last reward whose window was extended; empty at the beginning. */
  throughId: string;
}

/**
 * Records a period in which nobody could deliver. After the commit, `extendClaimWindows` extends the windows
 * by it.
 */
export async function openOutage(tx: Tx, lastedMs: number, nowMs: number): Promise<void> {
  await tx.insert(outages).values({ id: openId(newId(nowMs), ''), endedAtMs: nowMs, lastedMs });
}

/** Lists the open outages, oldest first. */
export async function listOpenOutages(q: Reader): Promise<OpenOutage[]> {
  const rows = await q.select().from(outages).where(isOpenOutage).orderBy(asc(outages.endedAtMs));
  return rows.map((row) => {
    const [id = '', throughId = ''] = row.id.slice(OPEN.length).split(':');
    return { id, rowId: row.id, endedAtMs: row.endedAtMs, lastedMs: row.lastedMs, throughId };
  });
}

/**
 * Records that the windows up to this reward are extended. With null all of them are, and the outage is
 * closed.
 */
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
