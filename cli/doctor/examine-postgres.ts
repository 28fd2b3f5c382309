import { readMigrationFiles } from 'drizzle-orm/migrator';
import pg from 'pg';
import { openPostgres } from '#db/database.ts';
import { unreachable } from '#db/engine/store-refused.ts';
import { countRequired, migrationsFolder } from '#db/migrate.ts';
import { compareClocks } from './examine-clock.ts';
import { examineReplication } from './examine-replication.ts';
import { examineRows, examineSchema } from './examine-store.ts';
import type { Finding, Times } from './finding.ts';

const CONNECT_WITHIN_MS = 10_000;

/** Names of findings about the server with which its content can be read all the same. */
const readable = new Set(['databaseClockWrong', 'standbyMissing']);

/** Examines a PostgreSQL database: whether it answers, its clock and schema, and the work waiting in it. */
export async function examinePostgres(
  url: string,
  times: Times,
  configured: readonly string[] | null,
): Promise<Finding[]> {
  const findings = await examinePostgresServer(url);
  if (findings.some(({ name }) => !readable.has(name))) return findings;
  return [...findings, ...(await examineContent(url, times, configured))];
}

/** Like `examinePostgres` without the stored data, which only a process of that dialect can read. */
export async function examinePostgresServer(
  url: string,
  readSystemMs: () => number = Date.now,
): Promise<Finding[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return await examineServer(client, readSystemMs);
  } catch (error) {
    return [databaseUnreachable(error)];
  } finally {
    await client.end().catch(() => {});
  }
}

const databaseUnreachable = (error: unknown): Finding => ({
  name: 'databaseUnreachable',
  ...unreachable(error),
});

async function examineServer(client: pg.Client, readSystemMs: () => number): Promise<Finding[]> {
  const beganMs = readSystemMs();
  const { rows: clocks } = await client.query<{ ms: string }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::bigint::text as ms',
  );
  const clock = compareClocks("the database's", Number(clocks[0]?.ms), (beganMs + readSystemMs()) / 2);
  const { rows: invalid } = await client.query<{ name: string }>(
    'select indexrelid::regclass::text as name from pg_index where not indisvalid',
  );
  const broken: Finding[] = invalid.map(({ name }) => ({
    name: 'databaseDamaged',
    what: `The index ${name} is not valid.`,
    why: 'Queries that rely on it are slow, and what must be unique may not be.',
    remedy: `In psql: REINDEX INDEX CONCURRENTLY ${name};`,
  }));
  const { rows: table } = await client.query<{ had: string | null }>(
    "select to_regclass('drizzle.__drizzle_migrations')::text as had",
  );
  const { rows: had } = table[0]?.had
    ? await client.query('select * from drizzle.__drizzle_migrations')
    : { rows: [] };
  const known = readMigrationFiles({ migrationsFolder: migrationsFolder.postgres }).length;
  const standby = await examineReplication(client);
  return [...clock, ...standby, ...broken, ...examineSchema(countRequired('postgres', had), known)];
}

async function examineContent(
  url: string,
  times: Times,
  configured: readonly string[] | null,
): Promise<Finding[]> {
  const db = await openPostgres(url, 2);
  try {
    return await examineRows(db.read, times, configured);
  } catch (error) {
    return [databaseUnreachable(error)];
  } finally {
    await db.close();
  }
}
