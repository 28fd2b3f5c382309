import { asc, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { databaseTime } from '#db/dialect.ts';
import { leases } from '#db/schema/lease.ts';
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

/** Lists all leases by name, with the time that each is still in force. */
export async function listLeases(q: Reader): Promise<ListedLease[]> {
  const { name, holder, epoch, address, version, takenAtMs, untilMs } = leases;
  const leftMs = sql<number>`case when ${isInForce} then ${untilMs} - ${databaseTime} else 0 end`;
  const rows = await q
    .select({ name, holder, epoch, address, version, takenAtMs, leftMs })
    .from(leases)
    .orderBy(asc(name));
  return rows.map((row) => ({ ...row, leftMs: Number(row.leftMs) }));
}
