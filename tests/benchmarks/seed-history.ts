// A database as it is after three years: a past of any size, and a present that is always the same. It
// contains the rows that the domain would have written, but is faster to write.
import { createHash, randomBytes } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migratePostgres, migrateSqlite, migrationsFolder } from '#db/migrate.ts';
import type { Present } from '#tests/benchmarks/history/present.ts';
import { intoPostgres, intoSqlite, RowSink } from '#tests/benchmarks/history/row-sink.ts';
import { presentOf, writeHistory } from '#tests/benchmarks/history/write-history.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';

/**
 * The number of past rewards; there are as many transfers and events, twice as many ledger entries, and a tenth as many
 * users.
 */
export type Age = 10_000 | 100_000 | 1_000_000;

/** Fills a migrated SQLite file that is not in use. Indexes are created last, because sorting once is faster. */
export async function seedSqlite(file: string, rewards: number): Promise<Present> {
  const connection = new BetterSqlite(file);
  try {
    for (const pragma of [
      'journal_mode = MEMORY',
      'synchronous = OFF',
      'foreign_keys = OFF',
      'cache_size = -200000',
    ])
      connection.pragma(pragma);
    const indexes = connection
      .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
      .all() as { name: string; sql: string }[];
    connection.exec('begin');
    for (const { name } of indexes) connection.exec(`drop index ${name}`);
    const present = await writeHistory(new RowSink(intoSqlite(connection)), rewards);
    for (const { sql } of indexes) connection.exec(sql);
    connection.exec('commit');
    connection.pragma('journal_mode = WAL');
    return present;
  } finally {
    connection.close();
  }
}

/** Fills a migrated PostgreSQL database. The process has to use that dialect. */
export async function seedPostgres(url: string, rewards: number): Promise<Present> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    const present = await writeHistory(new RowSink(intoPostgres(client)), rewards);
    await client.query('analyze');
    return present;
  } finally {
    await client.end();
  }
}

/** The key of a cached database: the schema, and the code that writes its rows. */
function keyOf(folder: string): string {
  const digest = createHash('sha256');
  const story = fileURLToPath(new URL('./history', import.meta.url));
  for (const place of [folder, story])
    for (const name of readdirSync(place).sort())
      if (/\.(?:sql|ts)$/.test(name)) digest.update(readFileSync(join(place, name)));
  return digest.digest('hex').slice(0, 12);
}

export interface AgedFile {
  file: string;
  present: Present;
}

/** An SQLite file of that age, created once and shared by readers. Writers take a copy. */
export async function agedSqlite(rewards: Age): Promise<AgedFile> {
  const folder = process.env.AGED_STORES ?? join(tmpdir(), 'keepsake-aged');
  const file = join(folder, `${keyOf(migrationsFolder.sqlite)}-${rewards}.db`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const building = `${file}.${process.pid}`;
    await migrateSqlite(building);
    await seedSqlite(building, rewards);
    renameSync(building, file);
  }
  return { file, present: presentOf() };
}

/** A copy in a folder of its own, which the caller removes. */
export async function copyOfAged(rewards: Age): Promise<AgedFile & { folder: string }> {
  const { file: saved, present } = await agedSqlite(rewards);
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-aged-'));
  const file = join(folder, 'keepsake.db');
  copyFileSync(saved, file);
  return { file, folder, present };
}

/** A PostgreSQL database of that age: a copy of one that is created once and kept on the server. */
export async function agedPostgres(
  serverUrl: string,
  rewards: Age,
): Promise<{ url: string; present: Present; remove(): Promise<void> }> {
  const asAdmin = async <Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    const { rows } = await client.query<Row>(statement).finally(() => client.end());
    return rows;
  };
  const urlOf = (name: string): string => Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  const saved = `keepsake_aged_${keyOf(migrationsFolder.postgres)}_${rewards}`;
  const known = await asAdmin(`select 1 from pg_database where datname = '${saved}'`);
  if (known.length === 0) {
    const building = `${saved}_${process.pid}`;
    await asAdmin(`create database ${building}`);
    await migratePostgres(urlOf(building));
    await seedPostgres(urlOf(building), rewards);
    await asAdmin(`alter database ${building} rename to ${saved}`);
  }
  const name = `keepsake_of_${randomBytes(6).toString('hex')}`;
  await asAdmin(`create database ${name} template ${saved}`);
  return {
    url: urlOf(name),
    present: presentOf(),
    remove: async () => void (await asAdmin(`drop database ${name} with (force)`)),
  };
}
