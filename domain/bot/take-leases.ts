import { and, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bigint, databaseTime, isAmong, isPostgres, locksNow, skipLocked } from '#db/dialect.ts';
import { leases } from '#db/schema/lease.ts';
import { statement } from '#db/statement.ts';
import { minute, second } from '#domain/kernel/time.ts';

/** A part of the work belongs to one process for this long after its last renewal. The database's time. */
export const LEASE_MS = 13 * second;
/** A lease that ends later than any was taken before the database's clock was put back, and locks out nobody. */
const LATEST_MS = LEASE_MS + minute;

/** A part of a bot's work. Slot 0 of `twitch` is what one process does for all channels; the others divide them. */
export type LeaseName =
  | 'steam'
  | `chat:${string}`
  | `twitch:${number}`
  | 'housekeeping'
  | 'billing'
  | 'mails'
  | 'pushes';

/** A process among all that share the database: `holder` is unique, the others are shown to the operator. */
export interface Holder {
  holder: string;
  address: string;
  version: string;
}

/** The proof that a process needs for each write of a part: nobody else has had the part since. */
export interface Lease {
  name: LeaseName;
  holder: string;
  epoch: number;
}

/** Matches an end that has come, or that no lease of now can have. */
export const isPast = (untilMs: SQLWrapper): SQL =>
  sql`(${untilMs} <= ${databaseTime} or ${untilMs} > ${databaseTime} + ${bigint(LATEST_MS)})`;

const isOver = isPast(leases.untilMs);
/** Matches leases in force. */
export const isInForce: SQL = sql`not ${isOver}`;
/** The name of the lock that keeps a lease from being taken over while its holder writes. */
export const leaseLock: SQL = sql`'lease:' || ${leases.name}`;

/**
 * Takes or renews all of these leases that are free or the process's own, and returns them. The epoch of a lease grows
 * when its holder changes. One whose holder is in the middle of a write, or of renewing it, is taken the next time.
 */
export async function takeLeases(
  db: Database,
  holder: Holder,
  names: readonly LeaseName[],
): Promise<Lease[]> {
  if (names.length === 0) return [];
  const take = (some: readonly LeaseName[]) =>
    db.heartbeat((tx) => takeThem(tx, { ...holder, names: JSON.stringify(some) }));
  const taken = await take(names);
  if (taken.length < names.length) {
    const missing = await db.transaction((tx) => addMissing(tx, names), { quiet: 'everywhere' });
    if (missing.length > 0) taken.push(...(await take(missing)));
  }
  return taken.map(({ name, epoch }) => ({ name: name as LeaseName, holder: holder.holder, epoch }));
}

const isNamed = isAmong(leases.name, sql.placeholder('names'));
const isOwn = sql`${leases.holder} = ${sql.placeholder('holder')}`;
const unlessOwn = (same: SQL, other: SQL) => sql`case when ${isOwn} then ${same} else ${other} end`;

/**
 * On PostgreSQL a process that was paused while it renewed its own lease would keep all others from renewing theirs. An
 * array, so that the rows are locked once.
 */
const isUnlocked = (tx: Tx): SQL =>
  isPostgres
    ? sql`${leases.name} = any(array(${skipLocked(tx.select({ name: leases.name }).from(leases).where(isNamed))}))`
    : isNamed;
const listKnown = statement('known_leases', (tx) =>
  tx.select({ name: leases.name }).from(leases).where(isNamed),
);
const takeThem = statement('leases_taken', (tx) =>
  tx
    .update(leases)
    .set({
      holder: sql`${sql.placeholder('holder')}`,
      address: sql`${sql.placeholder('address')}`,
      version: sql`${sql.placeholder('version')}`,
      epoch: unlessOwn(sql`${leases.epoch}`, sql`${leases.epoch} + 1`),
      takenAtMs: unlessOwn(sql`${leases.takenAtMs}`, databaseTime),
      untilMs: sql`${databaseTime} + ${bigint(LEASE_MS)}`,
    })
    .where(
      and(
        isUnlocked(tx),
        sql`case when ${isOwn} then true when ${isOver} then ${locksNow(leaseLock, 'alone')} else false end`,
      ),
    )
    .returning({ name: leases.name, epoch: leases.epoch }),
);

/** Adds the rows of leases that nobody has had yet, and returns their names. */
async function addMissing(tx: Tx, names: readonly LeaseName[]): Promise<LeaseName[]> {
  const known = new Set((await listKnown(tx, { names: JSON.stringify(names) })).map(({ name }) => name));
  const missing = [...new Set(names)].filter((name) => !known.has(name)).sort();
  // On PostgreSQL even an insert that does nothing waits for the transaction that has the row.
  if (missing.length > 0)
    await tx
      .insert(leases)
      .values(missing.map((name) => ({ name })))
      .onConflictDoNothing();
  return missing;
}
