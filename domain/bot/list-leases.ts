import { asc, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { databaseTime, isAmong } from '#db/dialect.ts';
import { leases } from '#db/schema/lease.ts';
import { statement } from '#db/statement.ts';
import { isInForce } from './take-leases.ts';

/** A part of the work and the process that does it. */
export interface ListedLease {
  name: string;
  holder: string | null;
  epoch: number;
  address: string;
  version: string;
  takenAtMs: number;
  /** Milliseconds until another process takes it over, unless it is renewed; 0 once it is free. */
  leftMs: number;
}

const listed = (q: Tx) => {
  const { name, holder, epoch, address, version, takenAtMs, untilMs } = leases;
  const leftMs = sql<number>`case when ${isInForce} then ${untilMs} - ${databaseTime} else 0 end`;
  return q.select({ name, holder, epoch, address, version, takenAtMs, leftMs }).from(leases);
};
const readAll = statement('all_leases', (q) => listed(q).orderBy(asc(leases.name)));
const readNamed = statement('named_leases', (q) =>
  listed(q)
    .where(isAmong(leases.name, sql.placeholder('names')))
    .orderBy(asc(leases.name)),
);

/** Lists all leases by name, or those of these names, with the time that each is still in force. */
export async function listLeases(q: Reader, names?: readonly string[]): Promise<ListedLease[]> {
  const rows = await (names ? readNamed(q, { names: JSON.stringify(names) }) : readAll(q, {}));
  return rows.map((row) => ({ ...row, leftMs: Number(row.leftMs) }));
}
