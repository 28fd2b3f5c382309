import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bigint, databaseTime, isPostgres, locksNow, numberAt, skipLocked } from '#db/dialect.ts';
import { MIGRATION_LOCK } from '#db/engine/expansions.ts';
import { errorCode } from '#db/error-code.ts';
import { processes } from '#db/schema/process.ts';
import { statement } from '#db/statement.ts';
import { isPast } from '#domain/bot/take-leases.ts';
import { minute, second } from '#domain/kernel/time.ts';

/** A process counts as running for this long after it last said so. The database's time. */
const ANNOUNCED_MS = 15 * second;
/** A process that an outage of the database kept silent may live, and a migration waits for it, for this long. */
const FORGOTTEN_AFTER_MS = 10 * minute;

type RunningProcess = Pick<
  typeof processes.$inferInsert,
  'id' | 'role' | 'version' | 'schema' | 'roles' | 'address'
>;
/** May it run: yes; not yet, because a migration is under way or missing; or no, because the schema was changed since. */
type Announced = 'runs' | 'migrating' | 'outdated';

const isOver = isPast(processes.untilMs);
const isForgotten = sql`${processes.untilMs} <= ${databaseTime} - ${bigint(FORGOTTEN_AFTER_MS)}`;
const later = { untilMs: sql`${databaseTime} + ${bigint(ANNOUNCED_MS)}` };

/**
 * Says that a process runs, so that no migration changes what it relies on, and returns whether it may. It may not once a
 * newer version has done more to the schema than add something. One that is not known, or no longer, waits for the end
 * of a migration, and each does for one that its own version has to begin with. One that was known is seen by a
 * migration that is waiting.
 */
export async function announceProcess(db: Database, process: RunningProcess): Promise<Announced> {
  const { id, schema } = process;
  try {
    const [running] = await db.heartbeat((tx) => prolongRunning(tx, { id, schema }));
    if (running) return stateOf(running);
    return await db.transaction((tx) => announceIn(tx, process), { quiet: 'everywhere' });
  } catch (error) {
    if (mayBeMigrating(error)) return 'migrating';
    throw error;
  }
}

/** A migration holds the write lock of SQLite's file, or none has made the table yet. */
function mayBeMigrating(error: unknown): boolean {
  const code = errorCode(error);
  if (code.startsWith('SQLITE_BUSY') || code === '42P01' || code === '42703' || code === '3F000') return true;
  const cause = error instanceof Error ? (error.cause ?? error) : null;
  return cause instanceof Error && /^no such (table|column)/.test(cause.message);
}

const isOwn = eq(processes.id, sql.placeholder('id'));
const steps = isPostgres ? sql`drizzle.__drizzle_migrations` : sql`__drizzle_migrations`;
/** The steps that the database has had, compared with the newest one that a process knows. */
const comparedSteps = {
  isBehind: sql<unknown>`(select coalesce(max(created_at), 0) < ${numberAt('schema')} from ${steps})`,
  changes: sql<unknown>`(
    select coalesce(sum(case when created_at > ${numberAt('schema')} and not expands then 1 else 0 end), 0) from ${steps}
  )`,
};
const prolongRunning = statement('process_runs', (tx) =>
  tx
    .update(processes)
    .set(later)
    .where(and(isOwn, sql`not ${isOver}`))
    .returning(comparedSteps),
);
const prolong = statement('process_lives', (tx) =>
  tx.update(processes).set(later).where(isOwn).returning({ id: processes.id }),
);
const compareSteps = statement('schema_steps', (tx) => tx.select(comparedSteps).from(sql`(select 1) as one`));

const stateOf = ({ isBehind, changes }: { isBehind: unknown; changes: unknown }): Announced => {
  if (isBehind) return 'migrating';
  return Number(changes) > 0 ? 'outdated' : 'runs';
};

/** Writes nothing but rows of processes: other readers ignore the transactions that wrote those. */
async function announceIn(tx: Tx, process: RunningProcess): Promise<Announced> {
  const { id, schema } = process;
  const isKnown = (await prolong(tx, { id })).length > 0;
  if (!(await mayBegin(tx))) return 'migrating';
  const [compared] = await compareSteps(tx, { schema });
  const state = compared ? stateOf(compared) : 'migrating';
  if (state === 'runs' && !isKnown) await begin(tx, process);
  return state;
}

/** Returns whether nobody migrates the database, and if so, keeps it like that until the transaction ends. */
async function mayBegin(tx: Tx): Promise<boolean> {
  const isFree = locksNow(sql`${MIGRATION_LOCK}`, 'shared');
  const [answer] = await tx.select({ isFree: sql<unknown>`${isFree}` }).from(sql`(select 1) as one`);
  return Boolean(answer?.isFree);
}

/** Makes a process known, and forgets those that have long not been. */
async function begin(tx: Tx, process: RunningProcess): Promise<void> {
  // Another process may be forgetting the same ones.
  const gone = await skipLocked(tx.select({ id: processes.id }).from(processes).where(isForgotten));
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
