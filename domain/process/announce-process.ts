import { and, count, eq, inArray, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bigint, databaseTime, isPostgres, locksNow, skipLocked } from '#db/dialect.ts';
import { MIGRATION_LOCK } from '#db/engine/expansions.ts';
import { processes } from '#db/schema/process.ts';
import { second } from '#domain/kernel/time.ts';

/** A process counts as running for this long after it last said so. The database's time. */
const ANNOUNCED_MS = 15 * second;

type RunningProcess = Pick<typeof processes.$inferInsert, 'id' | 'role' | 'version' | 'schema'>;
/** May it run: yes; not yet, because the database is being migrated; or no, because its schema was changed since. */
type Announced = 'runs' | 'migrating' | 'outdated';

const isOver = sql`${processes.untilMs} <= ${databaseTime}`;
const later = { untilMs: sql`${databaseTime} + ${bigint(ANNOUNCED_MS)}` };

/**
 * Says that a process runs, so that no migration changes what it relies on, and returns whether it may. It may not once a
 * newer version has done more to the schema than add something. One that is not known, or no longer, waits for the end
 * of a migration.
 */
export function announceProcess(db: Database, process: RunningProcess): Promise<Announced> {
  return db.transaction((tx) => announceIn(tx, process), { quiet: true });
}

async function announceIn(tx: Tx, process: RunningProcess): Promise<Announced> {
  const renewed = await tx
    .update(processes)
    .set(later)
    .where(and(eq(processes.id, process.id), sql`not ${isOver}`))
    .returning({ id: processes.id });
  if (renewed.length === 0 && !(await isUnmigrated(tx))) return 'migrating';
  if (await isOutdated(tx, process.schema)) return 'outdated';
  if (renewed.length === 0) await begin(tx, process);
  return 'runs';
}

/** Until the transaction ends, nobody migrates the database. */
async function isUnmigrated(tx: Tx): Promise<boolean> {
  const isFree = locksNow(sql`${MIGRATION_LOCK}`, 'shared');
  const [answer] = await tx.select({ isFree: sql<unknown>`${isFree}` }).from(sql`(select 1) as one`);
  return Boolean(answer?.isFree);
}

async function isOutdated(tx: Tx, schema: number): Promise<boolean> {
  const steps = isPostgres ? sql`drizzle.__drizzle_migrations` : sql`__drizzle_migrations`;
  const [found] = await tx
    .select({ foreign: count() })
    .from(steps)
    .where(sql`created_at > ${bigint(schema)} and not expands`);
  return (found?.foreign ?? 0) > 0;
}

/** Makes a process known, and forgets those that are no longer. */
async function begin(tx: Tx, process: RunningProcess): Promise<void> {
  // Another process may be forgetting the same ones.
  const gone = await skipLocked(tx.select({ id: processes.id }).from(processes).where(isOver));
  const ids = gone.map(({ id }) => id).filter((id) => id !== process.id);
  if (ids.length > 0) await tx.delete(processes).where(inArray(processes.id, ids));
  await tx
    .insert(processes)
    .values({ ...process, ...later })
    .onConflictDoUpdate({ target: processes.id, set: later });
}

/** Says that a process has ended, so that a migration need not wait until it is no longer known. */
export async function withdrawProcess(db: Database, id: string): Promise<void> {
  await db.transaction((tx) => tx.delete(processes).where(eq(processes.id, id)).returning(), { quiet: true });
}
