import { chmodSync } from 'node:fs';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Reader } from '#db/database.ts';
import { errorCode } from '#db/error-code.ts';
import type { Manifest } from './manifest.ts';
import { addressForTools, runPostgresTool, withDatabase } from './postgres-tools.ts';
import { differenceOf, factsIn, type StoreFacts } from './store-facts.ts';

const IN_USE = '55006';
const NOT_ALLOWED = '42501';

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

const readerOn = (client: pg.Client): Reader => drizzle(client) as unknown as Reader;

/** Writes a dump of the database as of one moment, while others write, and says what was in it at that moment. */
export const dumpPostgres = (url: string, to: string): Promise<StoreFacts> =>
  withClient(url, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const whole = ['--format=custom', '--no-owner', '--no-privileges', `--snapshot=${rows[0]?.id}`];
    await runPostgresTool('pg_dump', [...whole, `--file=${to}`], addressForTools(url));
    chmodSync(to, 0o600);
    const { rows: steps } = await client.query<{ count: number }>(
      'select count(*)::int as count from drizzle.__drizzle_migrations',
    );
    return { migrations: steps[0]?.count ?? 0, ...(await factsIn(readerOn(client))) };
  });

/** A database's own name, which it need not have been created under yet. */
const databaseOf = (url: string): string => new pg.Client({ connectionString: url }).database ?? '';
/** Where other databases are created and renamed. */
const maintenanceOf = (url: string): string => withDatabase(url, 'postgres');

/** How many are connected to the database. */
export const countConnected = (url: string): Promise<number> =>
  withClient(maintenanceOf(url), async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where datname = $1 and backend_type = 'client backend'",
      [databaseOf(url)],
    );
    return rows[0]?.count ?? 0;
  });

/** A dump that was restored into a database of its own. */
export interface RestoredCopy {
  /** What is wrong with it. Null: nothing. */
  fault: string | null;
  /** Lets it take the name of the instance's database, which gets another; null if somebody is connected to that. */
  putInPlace(nowMs: number): Promise<{ replaced: string | null } | null>;
}

/**
 * Restores a dump into a new database beside the instance's, whose references PostgreSQL checks, and compares it with what
 * was known when it was made. The database is dropped afterwards unless it was put in place. Throws if the user may not
 * create databases.
 */
export async function withRestoredCopy<T>(
  url: string,
  dump: string,
  manifest: Manifest,
  work: (copy: RestoredCopy) => Promise<T>,
): Promise<T> {
  const name = `${databaseOf(url).slice(0, 40)}_proof`;
  const quoted = pg.escapeIdentifier(name);
  return withClient(maintenanceOf(url), async (client) => {
    // One that was killed left it.
    await client.query(`drop database if exists ${quoted}`);
    await client.query(`create database ${quoted} template template0 encoding 'UTF8'`).catch((error) => {
      if (errorCode(error) !== NOT_ALLOWED) throw error;
      throw new Error(`the database user may not create a database to prove it in: ALTER ROLE … CREATEDB`);
    });
    try {
      const fault = await restoreInto(withDatabase(url, name), dump, manifest);
      return await work({ fault, putInPlace: (nowMs) => rename(client, name, databaseOf(url), nowMs) });
    } finally {
      await client.query(`drop database if exists ${quoted}`);
    }
  });
}

async function restoreInto(url: string, dump: string, manifest: Manifest): Promise<string | null> {
  try {
    const whole = ['--exit-on-error', '--no-owner', '--no-privileges', '--jobs=2'];
    await runPostgresTool('pg_restore', [...whole, dump], addressForTools(url));
  } catch (error) {
    return (error as Error).message;
  }
  return withClient(url, async (client) => {
    await client.query('analyze');
    return differenceOf(readerOn(client), manifest);
  });
}

/** Both names change at once, or none does. PostgreSQL refuses while anybody is connected. */
async function rename(client: pg.Client, from: string, to: string, nowMs: number) {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [to]);
  const replaced = rowCount === 1 ? `${to.slice(0, 40)}_replaced_${nowMs}` : null;
  const [ours, theirs] = [pg.escapeIdentifier(to), pg.escapeIdentifier(from)];
  try {
    await client.query('begin');
    if (replaced) await client.query(`alter database ${ours} rename to ${pg.escapeIdentifier(replaced)}`);
    await client.query(`alter database ${theirs} rename to ${ours}`);
    await client.query('commit');
    return { replaced };
  } catch (error) {
    await client.query('rollback');
    if (errorCode(error) === IN_USE) return null;
    throw error;
  }
}
