import { basename } from 'node:path';
import type pg from 'pg';
import { type Database, openPostgres } from '#db/database.ts';
import { migratePostgres } from '#db/migrate.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

interface Store {
  db: Database;
  /** Empties the store between tests, beside the product's own connections. */
  admin: pg.Client;
}

/** Copying the migrated database takes a while, so tests in this process reuse each store after emptying it. */
const idle: Store[] = [];
let made = 0;

/** An empty, migrated database on the server, whose migrations have this digest. */
export async function openOnServer(digest: string): Promise<Database> {
  const store = idle.pop() ?? (await makeStore(digest));
  return {
    ...store.db,
    async close() {
      await empty(store.admin);
      idle.push(store);
    },
  };
}

async function makeStore(digest: string): Promise<Store> {
  const name = `${namesOfRun()}_${process.pid}_${++made}`;
  await asAdmin(async (admin) => {
    const template = await migratedTemplate(admin, digest);
    await admin.query(`create database "${name}" template ${template}`);
  });
  return { db: await openPostgres(urlOf(name)), admin: await connect(urlOf(name)) };
}

/** The migrations run once for each version of them; every process copies the result. */
async function migratedTemplate(admin: pg.Client, digest: string): Promise<string> {
  const name = `keepsake_template_${digest}`;
  await admin.query('select pg_advisory_lock(hashtext($1))', [name]);
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
  if (rowCount === 0) {
    const building = `${name}_building`;
    await admin.query(`drop database if exists ${building}`);
    await admin.query(`create database ${building}`);
    await migratePostgres(urlOf(building));
    await admin.query(`alter database ${building} rename to ${name}`);
  }
  await admin.query('select pg_advisory_unlock(hashtext($1))', [name]);
  return name;
}

/** From this size on, with indexes, the next tests would notice what deleted rows leave behind. */
const LARGE_BYTES = 512 * 1024;

/** Deletes all rows: to truncate all tables takes many times as long, and most tests fill only some of them. */
async function empty(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public'",
  );
  const filled = await admin.query<{ name: string; isLarge: boolean }>(
    rows
      .map(
        ({ name }) =>
          `select '${name}' as name, pg_total_relation_size('${name}') > ${LARGE_BYTES} as "isLarge" where exists (select from ${name})`,
      )
      .join(' union all '),
  );
  // As a replica it does not check foreign keys, so any order will do.
  const deletions = filled.rows.map(({ name }) => `delete from ${name}`);
  await admin.query(['set session_replication_role = replica', ...deletions].join(';'));
  const large = filled.rows.filter(({ isLarge }) => isLarge).map(({ name }) => name);
  if (large.length > 0) await admin.query(`vacuum ${large.join(', ')}`);
}

/** Drops the databases of this run. */
export async function dropStoresOfRun(): Promise<void> {
  await asAdmin(async (admin) => {
    const { rows } = await admin.query<{ name: string }>(
      'select quote_ident(datname) as name from pg_database where starts_with(datname, $1)',
      [namesOfRun()],
    );
    for (const { name } of rows) await admin.query(`drop database ${name} with (force)`);
  });
}

const namesOfRun = () => basename(process.env.TEST_STORES ?? 'keepsake-alone');

function urlOf(name: string): string {
  const url = new URL(serverUrl ?? '');
  url.pathname = `/${name}`;
  // These tests are not about power cuts.
  url.searchParams.set('options', '-c synchronous_commit=off');
  return url.href;
}

async function connect(url: string): Promise<pg.Client> {
  const { default: driver } = await import('pg');
  const client = new driver.Client({ connectionString: url });
  await client.connect();
  return client;
}

async function asAdmin(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = await connect(serverUrl ?? '');
  await work(admin).finally(() => admin.end());
}
