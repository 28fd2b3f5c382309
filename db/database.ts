import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Pool, PoolClient } from 'pg';
import { cacheStatements } from '#db/engine/cache-statements.ts';
import { connectionSettings } from '#db/engine/connection-settings.ts';
import { countForeignCommits, readRevision } from '#db/engine/foreign-commits.ts';
import { nestingError, oneTurn } from '#db/engine/one-turn.ts';
import { pooledTransactions } from '#db/engine/pooled-transactions.ts';
import { type Seals, sealColumnsWith } from '#db/engine/sealed-text.ts';
import { loadSqliteDriver } from '#db/engine/sqlite-driver.ts';
import { limitQuery, type TimeLimits } from '#db/engine/time-limits.ts';
import { isPostgres, listOf } from './dialect.ts';
import { errorCode } from './error-code.ts';
import { named, statement, withoutNames } from './statement.ts';

type Full = PgDatabase<PgQueryResultHKT, Record<string, never>>;
/** Query methods available on both databases. */
export type Reader = Pick<Full, 'select' | 'selectDistinct' | 'with' | '$with' | '$count'>;
export type Tx = Reader & Pick<Full, 'insert' | 'update' | 'delete'>;

declare const gives: unique symbol;
/** The name of a lock. `Held` is the type of a transaction that holds it, which is how functions ask for the lock. */
export type Lock<Held extends Tx = Tx> = string & { readonly [gives]: Held };
export const lockNamed = <Held extends Tx = Tx>(name: string): Lock<Held> => name as Lock<Held>;

export interface TransactionOptions {
  lock?: Lock;
  /**
   * Marks a heartbeat write, which other readers in this process need not react to, or `everywhere`: one that writes only
   * rows by which every process knows it (see `readRevision`).
   */
  quiet?: true | 'everywhere';
  /** A check that throws if the transaction must not happen. PostgreSQL is asked together with the begin. */
  first?: (tx: Tx) => Answer<void>;
}
/** The type of a transaction with these options. */
export type TxWith<O extends TransactionOptions> = O extends { lock: Lock<infer Held> } ? Held : Tx;

/**
 * The answer of a statement; await it. SQLite answers at once, because a promise for each statement would
 * cost about as much as the statement. On PostgreSQL a write that returns no rows may not be done yet: the
 * transaction throws if it fails.
 */
export type Answer<T> = T | Promise<T>;
/** Reads an answer without waiting for one that is there. */
export const answered = <T, Read>(answer: Answer<T>, read: (value: T) => Read): Answer<Read> =>
  answer instanceof Promise ? answer.then(read) : read(answer);

export interface Database {
  /** Reads outside a transaction; a write through it throws. */
  read: Reader;
  /**
   * Runs `decide` in one transaction and commits its result. `lock` names a decision that must not run
   * concurrently (a rule, a bot): an advisory lock on PostgreSQL; SQLite has a single writer, so there it
   * costs nothing.
   */
  transaction<T, O extends TransactionOptions = object>(
    decide: (tx: TxWith<O>) => Answer<T>,
    options?: O,
  ): Promise<T>;
  /** Runs one statement as a transaction that is quiet everywhere, in one trip to the server. */
  heartbeat<T>(write: (tx: Tx) => Answer<T>): Promise<T>;
  /** Changes after each commit but this process's quiet ones and, on PostgreSQL alone, anyone's heartbeats. Cheap to call. */
  revision(): Promise<string>;
  close(): Promise<void>;
}

const uniqueCodes = new Set(['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY']);
/** Returns whether a write failed because the row already exists, on either database. */
export const isUniqueViolation = (error: unknown): boolean => uniqueCodes.has(errorCode(error));

export interface SqliteOptions {
  /** A transaction waits this long for another process's write before it fails. */
  waitMs?: number;
}

/**
 * Opens an SQLite file with one writing and one reading connection. The writer never blocks the event loop: it
 * requests the write lock without a timeout and waits in JavaScript. `synchronous` is FULL because a promise must
 * survive a power cut.
 */
export async function openSqlite(file: string, options: SqliteOptions = {}): Promise<Database> {
  const { drizzle } = await import('drizzle-orm/better-sqlite3');
  const { writing, reading } = await connectSqlite(file);
  const writer = named(drizzle(writing) as unknown as Session);
  const reader = named(drizzle(reading) as unknown as Reader);
  const beginWhenFree = waitingBegin(writing, options.waitMs ?? 10_000);
  // `data_version` changes with other connections' commits but not this one's own, which are counted below.
  const dataVersion = writing.prepare('PRAGMA data_version').pluck();
  const totalChanges = writing.prepare('SELECT total_changes()').pluck();
  let changes = totalChanges.get();
  let ownChanges = 0;
  const commit = writing.prepare('COMMIT');
  const rollback = writing.prepare('ROLLBACK');

  const turn = oneTurn();

  const run = async <T>(
    decide: (tx: Tx) => Answer<T>,
    { lock, quiet, first }: TransactionOptions,
    previous: Promise<unknown>,
  ): Promise<T> => {
    await previous;
    const waiting = beginWhenFree();
    if (waiting) await waiting;
    turn.begin();
    // Revoked at the end so that a tx used later cannot write outside a transaction.
    const tx = Proxy.revocable(writer, {});
    writer[heldLocks] = new Set();
    try {
      if (lock) await holdLock(writer, lock);
      if (first) await first(writer);
      const value = await decide(tx.proxy);
      if (turn.isOver()) throw new Error('a transaction awaited something that is not the database');
      commit.run();
      const before = changes;
      changes = totalChanges.get();
      if (!quiet && changes !== before) ownChanges++;
      return value;
    } catch (error) {
      if (writing.inTransaction) rollback.run();
      throw error;
    } finally {
      turn.end();
      tx.revoke();
    }
  };

  const noop = () => {};
  let last: Promise<unknown> = Promise.resolve();
  function transaction<T>(decide: (tx: never) => Answer<T>, options: TransactionOptions = {}): Promise<T> {
    const refusal = turn.refusal();
    const previous = refusal ? Promise.race([last, refusal]) : last;
    const result = run(decide as (tx: Tx) => Answer<T>, options, previous);
    const settled = result.then(noop, noop);
    // One that is refused settles while the one before it is still open.
    last = refusal ? Promise.all([last, settled]) : settled;
    return result;
  }
  return {
    read: reader,
    transaction,
    heartbeat: (write) => transaction(write, { quiet: 'everywhere' }),
    revision: async () => `${dataVersion.get()}/${ownChanges}`,
    async close() {
      await last;
      reading.close();
      writing.close();
    },
  };
}

/** One connection for transactions and one for everything else, which cannot write. */
async function connectSqlite(file: string) {
  const BetterSqlite = await loadSqliteDriver();
  const connect = (timeout: number) => {
    const connection = new BetterSqlite(file, { timeout });
    connection.pragma('journal_mode = WAL');
    connection.pragma('synchronous = FULL');
    connection.pragma('foreign_keys = ON');
    // A file for each list of states and each sorted page would cost more than the query itself.
    connection.pragma('temp_store = MEMORY');
    return cacheStatements(connection);
  };
  const [writing, reading] = [connect(0), connect(5000)];
  reading.pragma('query_only = ON');
  return { writing, reading };
}

/**
 * Begins a transaction: at once if no other process has the write lock, else when it is free, or throws after `timeoutMs`.
 */
function waitingBegin(
  connection: { prepare(source: string): { run(): unknown } },
  timeoutMs: number,
): () => Answer<void> {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const isBusy = (error: unknown) => errorCode(error).startsWith('SQLITE_BUSY');
  const beginLater = async (): Promise<void> => {
    const deadline = performance.now() + timeoutMs;
    for (let wait = 1; ; wait = Math.min(wait * 2, 25)) {
      await delay(wait * (0.5 + Math.random()));
      try {
        begin.run();
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
      }
    }
  };
  return () => {
    try {
      begin.run();
    } catch (error) {
      if (!isBusy(error)) throw error;
      return beginLater();
    }
  };
}

/** Names of the locks held by a transaction. */
const heldLocks = Symbol('held locks');
type Session = Tx & { [heldLocks]?: Set<string> };

const waitForLock = statement('wait_for_lock', (tx) =>
  tx
    .select({ waited: sql`pg_advisory_xact_lock(locked.key)` })
    .from(sql`hashtextextended(${sql.placeholder('lock')}, 0) as locked(key)`),
);

/**
 * Takes a lock until the transaction ends and returns the transaction as one that holds it; taking it twice is fine.
 * On SQLite the transaction already holds the only write lock.
 */
export async function holdLock<T extends Tx, Held extends Tx>(tx: T, lock: Lock<Held>): Promise<T & Held> {
  if (!holdsLock(tx, lock)) {
    if (isPostgres) await waitForLock(tx, { lock });
    const session: Session = tx;
    session[heldLocks] ??= new Set();
    session[heldLocks].add(lock);
  }
  return tx as T & Held;
}

const waitForLocks = statement('wait_for_locks', (tx) =>
  tx
    .select({ waited: sql`pg_advisory_xact_lock(hashtextextended(locked.value, 0))` })
    .from(listOf(sql.placeholder('locks'), 'locked')),
);

/** Like `holdLock` for many, which are taken in the given order by one statement. */
export async function holdLocks(tx: Tx, locks: readonly Lock[]): Promise<void> {
  const missing = locks.filter((lock) => !holdsLock(tx, lock));
  if (missing.length === 0) return;
  if (isPostgres) await waitForLocks(tx, { locks: JSON.stringify(missing) });
  const session: Session = tx;
  session[heldLocks] ??= new Set();
  for (const lock of missing) session[heldLocks].add(lock);
}

/** Returns whether the transaction took this lock, on either database. */
export const holdsLock = (tx: Tx, lock: Lock): boolean => (tx as Session)[heldLocks]?.has(lock) ?? false;

const retryable = new Set(['40001', '40P01']);
const MAX_RETRIES = 20;

/** Does work again that PostgreSQL refused because of another transaction. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= MAX_RETRIES || !retryable.has(errorCode(error))) throw error;
      await delay(Math.random() * 2 * (attempt + 1));
    }
  }
}

/** The part of a drizzle PostgreSQL handle that this module needs, whichever driver is behind it. */
interface PostgresHandle {
  /** Our pool does `first` together with its begin; drizzle's own transaction ignores it. */
  transaction<T>(
    work: (tx: Tx) => Promise<T>,
    config: { isolationLevel: 'read committed'; first: (tx: Tx) => Promise<unknown> },
  ): Promise<T>;
}

/** The handle without its write methods, so that reads outside a transaction cannot write by mistake. */
const readerOf = (handle: unknown): Reader => {
  const refused = {
    value: () => {
      throw new Error('`read` does not write: use transaction()');
    },
  };
  return Object.create(handle as object, { insert: refused, update: refused, delete: refused }) as Reader;
};

/** PostgreSQL's id of a transaction; null while it has written nothing. */
const readTransactionId = statement('transaction_id', (tx) =>
  tx.select({ id: sql<string | null>`pg_current_xact_id_if_assigned()::text` }).from(sql`(select 1) as one`),
);

/** PostgreSQL would run a nested transaction on another connection, where it could wait for the outer one forever. */
const inTransaction = new AsyncLocalStorage<true>();

/**
 * Wraps a drizzle PostgreSQL handle. Read committed: every statement after a lock wait sees what the previous holder
 * committed.
 */
export function postgresDatabase(handle: unknown, close: () => Promise<void>): Database {
  const store = handle as PostgresHandle;
  const foreignCommits = countForeignCommits();
  return {
    read: readerOf(handle),
    async transaction<T>(decide: (tx: never) => Answer<T>, options?: TransactionOptions) {
      if (inTransaction.getStore()) throw nestingError();
      return retrying(() => {
        let isChecked = false;
        const first = async (tx: Tx) => {
          isChecked = true;
          (tx as Session)[heldLocks] = new Set();
          await Promise.all([options?.lock && holdLock(tx, options.lock), options?.first?.(tx)]);
        };
        return store.transaction(
          async (tx) => {
            // Our pool has done both already, by `first`.
            if (options?.lock) await holdLock(tx, options.lock);
            if (!isChecked) await options?.first?.(tx);
            const revocable = Proxy.revocable(tx, {});
            const value = await inTransaction
              .run(true, async () => decide(revocable.proxy as never))
              .finally(revocable.revoke);
            if (options?.quiet === true)
              foreignCommits.ignore((await readTransactionId(tx, {}))[0]?.id ?? null);
            return value;
          },
          { isolationLevel: 'read committed', first },
        );
      });
    },
    async heartbeat(write) {
      if (inTransaction.getStore()) throw nestingError();
      return retrying(async () => write(handle as Tx));
    },
    async revision() {
      const [now] = await readRevision(handle as Reader, {});
      return foreignCommits.count(String(now?.snapshot), now?.heartbeats ?? '');
    },
    close,
  };
}

/**
 * Opens a PostgreSQL database with a pool of up to `maxConnections` connections. `pgbouncer=true` in the URL leaves out
 * the names of prepared statements, which a pooler in transaction mode does not keep with their connection. Behind a
 * pooler only transactions get the limits, because limits on a connection would reach other clients; for those the
 * operator sets limits on the role.
 */
export async function openPostgres(
  url: string,
  maxConnections = 10,
  limits: TimeLimits | null = null,
): Promise<Database> {
  const { default: pg } = await import('pg');
  const { drizzle } = await import('drizzle-orm/node-postgres');
  // The URL is not parsed with `new URL`, which refuses the address of a Unix socket. pg ignores the
  // parameter.
  const isPooled = /[?&]pgbouncer=true(&|$)/.test(url);
  const handleFor = (client: Pool | PoolClient) =>
    Object.assign(drizzle(client), { [withoutNames]: isPooled });
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    pipeline: true,
    ...connectionSettings,
    ...(limits && !isPooled && { onConnect: (client) => client.query(limitQuery(limits, 'session')) }),
  });
  // The server closed an idle connection, for example during a restart. The pool has already dropped it; an unhandled
  // 'error' event would end the process. If the server stays away, or the connection was in use, the statement itself
  // fails.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const transaction = pooledTransactions(pool, handleFor, isPooled ? limits : null);
  const handle = Object.assign(handleFor(pool), { transaction });
  return postgresDatabase(handle, () => pool.end());
}

/** The address of the configured database: a PostgreSQL URL, or an SQLite file. */
export type StoreAddress = { databaseUrl?: string | undefined; file: string };

/**
 * Opens the configured database. From then on this process reads and writes sealed columns under `seals`. A process that
 * serves passes `limits`, so that a hanging statement in PostgreSQL does not hold its connection for ever.
 */
export function openDatabase(
  store: StoreAddress,
  seals: Seals,
  limits: TimeLimits | null = null,
): Promise<Database> {
  sealColumnsWith(seals);
  return store.databaseUrl ? openPostgres(store.databaseUrl, 10, limits) : openSqlite(store.file);
}
