import { chmodSync } from 'node:fs';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Reader } from '#db/database.ts';
import { liftLimits } from '#db/engine/lift-limits.ts';
import { isKeyOf, type SampleRow } from '#db/engine/prove-key.ts';
import type { Seals } from '#db/engine/sealed-text.ts';
import { errorCode } from '#db/error-code.ts';
import { countRequired } from '#db/migrate.ts';
import type { Manifest } from './manifest.ts';
import { addressForTools, runPostgresTool, withDatabase } from './postgres-tools.ts';
import { differenceOf, factsIn, type StoreFacts } from './store-facts.ts';

const IN_USE = '55006';
const NOT_ALLOWED = '42501';

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, keepAlive: true });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

const readerOn = (client: pg.Client): Reader => drizzle(client) as unknown as Reader;

/**
 * Writes a dump of the database as of one moment, while others write, and returns the facts about its content
 * at that moment.
 */
export const dumpPostgres = (url: string, to: string): Promise<StoreFacts> =>
  withClient(url, async (client) => {
    await client.query('begin isolation level repeatable read read only');
    await liftLimits(client, 'transaction');
    const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
    const whole = ['--format=custom', '--no-owner', '--no-privileges', `--snapshot=${rows[0]?.id}`];
    await runPostgresTool('pg_dump', [...whole, `--file=${to}`], addressForTools(url));
    chmodSync(to, 0o600);
    return { migrations: await countMigrations(client), ...(await factsIn(readerOn(client))) };
  });

async function countMigrations(client: pg.Client): Promise<number> {
  const [found] = (await client.query("select to_regclass('drizzle.__drizzle_migrations') as steps")).rows;
  if (!found?.steps) return 0;
  return countRequired('postgres', (await client.query('select * from drizzle.__drizzle_migrations')).rows);
}

/** Counts the migrations that a database has had; an empty one none. */
export const migrationsOfPostgres = (url: string): Promise<number> => withClient(url, countMigrations);

/** A database's own name, which it need not have been created under yet. */
export const databaseOf = (url: string): string => new pg.Client({ connectionString: url }).database ?? '';
/** The database from which others are created and renamed. */
export const maintenanceOf = (url: string): string => withDatabase(url, 'postgres');

/** Counts the connections to the database. */
export const countConnected = (url: string): Promise<number> =>
  withClient(maintenanceOf(url), async (client) => {
    const { rows } = await client.query<{ count: number }>(
      "select count(*)::int as count from pg_stat_activity where datname = $1 and backend_type = 'client backend'",
      [databaseOf(url)],
    );
    return rows[0]?.count ?? 0;
  });

type Facts = Pick<Manifest, 'counts' | 'drifts'>;

/** A dump that was restored into a database of its own. */
export interface RestoredCopy {
  /** The fault in it; null if there is none. */
  fault: string | null;
  /** Returns whether a key opens the sealed values in it. */
  isUnder(seals: Seals): Promise<boolean>;
  /**
   * Gives it the name of the instance's database, which gets another, after `moveFiles`. Null if somebody is
   * connected to that database. If moving fails, both keep their names.
   */
  putInPlace(nowMs: number, moveFiles: () => void): Promise<{ replaced: string | null } | null>;
}

/**
 * Restores a dump into a new database beside the instance's, whose references PostgreSQL checks, and compares
 * it with the facts recorded when it was made. The database is dropped afterwards unless it was put in place.
 * Throws if the user may not create databases, if another proof is under way, or if the name is that of a
 * database which is not one.
 */
export async function withRestoredCopy<T>(
  url: string,
  dump: string,
  manifest: Facts,
  work: (copy: RestoredCopy) => Promise<T>,
): Promise<T> {
  const name = `${databaseOf(url).slice(0, 40)}_proof`;
  return withClient(maintenanceOf(url), async (client) => {
    await createProof(client, name);
    const copy = async (): Promise<T> => {
      const fault = await restoreInto(withDatabase(url, name), dump, manifest);
      return work({
        fault,
        isUnder: (seals) => isDatabaseUnder(seals, withDatabase(url, name)),
        putInPlace: (nowMs, moveFiles) =>
          rename(client, { from: name, to: databaseOf(url), nowMs, moveFiles }),
      });
    };
    return copy().finally(() => dropProof(client, name));
  });
}

/** The next proof drops the rest; the end of this one matters more. */
const dropProof = (client: pg.Client, name: string): Promise<void> =>
  client.query(`drop database if exists ${pg.escapeIdentifier(name)}`).then(
    () => {},
    ({ message }: Error) => console.warn(`The database ${name} stays until the next drill: ${message}`),
  );

/** A mark that distinguishes the database of a proof that was killed from somebody's own. */
const PROOF = 'Keepsake proves a backup here.';
/**
 * Marks the database of a proof until it has that comment, which cannot be given in one step with the
 * database. Nobody else has a use for this number.
 */
const PROOF_CONNECTIONS = 49_152;

/** Creates an empty database. The lock lasts as long as the connection: another proof would drop what this one proves. */
async function createProof(client: pg.Client, name: string): Promise<void> {
  const { rows: locks } = await client.query<{ taken: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
    [`keepsake proof ${name}`],
  );
  if (!locks[0]?.taken)
    throw new Error('another drill or restore of this database is under way: wait until it has ended');
  const { rows: old } = await client.query<{ isOurs: boolean }>(
    `select datconnlimit = $2 or coalesce(shobj_description(oid, 'pg_database') = $3, false) as "isOurs"
       from pg_database where datname = $1`,
    [name, PROOF_CONNECTIONS, PROOF],
  );
  if (old[0]?.isOurs === false)
    throw new Error(`there is a database ${name} which may be somebody's: rename it, or drop it`);
  const quoted = pg.escapeIdentifier(name);
  await client.query(`drop database if exists ${quoted}`);
  await client
    .query(
      `create database ${quoted} template template0 encoding 'UTF8' connection limit ${PROOF_CONNECTIONS}`,
    )
    .catch((error) => {
      if (errorCode(error) !== NOT_ALLOWED) throw error;
      throw new Error('the database user may not create a database to prove it in: ALTER ROLE … CREATEDB');
    });
  await client.query(`comment on database ${quoted} is ${pg.escapeLiteral(PROOF)}`);
  await client.query(`alter database ${quoted} connection limit -1`);
}

async function restoreInto(url: string, dump: string, manifest: Facts): Promise<string | null> {
  try {
    const whole = ['--exit-on-error', '--no-owner', '--no-privileges', '--jobs=2'];
    await runPostgresTool('pg_restore', [...whole, dump], addressForTools(url));
  } catch (error) {
    return (error as Error).message;
  }
  return withClient(url, async (client) => {
    await liftLimits(client, 'session');
    await client.query('analyze');
    return differenceOf(readerOn(client), manifest);
  });
}

const isDatabaseUnder = (seals: Seals, url: string): Promise<boolean> =>
  withClient(url, (client) =>
    isKeyOf('postgres', async (query) => (await client.query<SampleRow>(query)).rows, seals),
  );

interface Renaming {
  from: string;
  to: string;
  nowMs: number;
  moveFiles(): void;
}

/** Both names change at once, or none does. PostgreSQL refuses while anybody is connected. */
async function rename(client: pg.Client, { from, to, nowMs, moveFiles }: Renaming) {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [to]);
  const replaced = rowCount === 1 ? `${to.slice(0, 40)}_replaced_${nowMs}` : null;
  const [ours, theirs] = [pg.escapeIdentifier(to), pg.escapeIdentifier(from)];
  try {
    await client.query('begin');
    if (replaced) await client.query(`alter database ${ours} rename to ${pg.escapeIdentifier(replaced)}`);
    await client.query(`alter database ${theirs} rename to ${ours}`);
    await client.query(`comment on database ${ours} is null`);
    moveFiles();
  } catch (error) {
    // On a connection that is lost nothing was changed either, and why it failed is in the error.
    await client.query('rollback').catch(() => {});
    if (errorCode(error) === IN_USE) return null;
    throw error;
  }
  await client.query('commit').catch(({ message }: Error) => {
    throw new Error(`whether it was put in place is not known (${message}): repeat the restore`);
  });
  return { replaced };
}
