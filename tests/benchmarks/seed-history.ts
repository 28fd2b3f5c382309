// A store as it stands after three years: a past that is over, as large as one likes, and a present that is the same in
// each. What the domain would have written, row by row, without the domain's haste.
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
import BetterSqlite from 'better-sqlite3';
import pg from 'pg';
import { migratePostgres, migrateSqlite, migrationsFolder } from '#db/migrate.ts';
import { events } from '#db/schema/outbox.ts';
import { day, hour } from '#domain/clock.ts';
import { CHANNEL_LIFE_MS, MEMBERS_PER_CHANNEL, writePastChannel } from '#tests/benchmarks/history/past.ts';
import { type Present, writePresent } from '#tests/benchmarks/history/present.ts';
import { intoPostgres, intoSqlite, RowSink } from '#tests/benchmarks/history/row-sink.ts';
import { memberOf, Scribe } from '#tests/benchmarks/history/scribe.ts';
import { START_MS } from '#tests/support/fixtures.ts';

/** The moment at which a seeded store stands; domain time goes on from here. */
export const AGED_MS = START_MS;
const YEARS_MS = 3 * 365 * day;
const REWARDS_PER_CHANNEL = 100;
const botIds = Array.from({ length: 10 }, (_, each) => `bot-${each}`);
/** The first streamers have each other for viewers, so that they came together. */
const FIRST_TOGETHER = 4;
const ENOUGH_ROWS = 50_000;

/** How many rewards the past has; as many transfers and events, twice as many entries of the ledger, a tenth as many users. */
export type Age = 10_000 | 100_000 | 1_000_000;

/** Fills an empty, migrated store. */
export async function writeHistory(sink: RowSink, rewards: number): Promise<Present> {
  const scribe = new Scribe(sink);
  const bornMs = AGED_MS - YEARS_MS;
  for (const id of botIds) scribe.bot(id, bornMs);
  const channels = rewards / REWARDS_PER_CHANNEL;
  const stepMs = Math.floor((YEARS_MS - CHANNEL_LIFE_MS - 30 * day) / channels);
  for (let number = 0; number < channels; number++) {
    const fromMs = bornMs + Math.max(0, number - FIRST_TOGETHER) * stepMs;
    writePastChannel(scribe, { number, botId: botIds[number % botIds.length] ?? '', fromMs, nowMs: AGED_MS });
    if (number >= FIRST_TOGETHER) await sink.flush(ENOUGH_ROWS);
  }
  const present = presentOf(sink);
  await sink.flush();
  await writeEvents(scribe, sink, rewards);
  return present;
}

/** Known without a store: it is the same in all of them. */
const presentOf = (sink = new RowSink(() => {})): Present =>
  writePresent(new Scribe(sink, 2 ** 31), botIds, AGED_MS);

/** The last hours' news of people of the past: older ones are forgotten. */
async function writeEvents(scribe: Scribe, sink: RowSink, amount: number): Promise<void> {
  const people = (amount / REWARDS_PER_CHANNEL) * MEMBERS_PER_CHANNEL;
  for (let each = 0; each < amount; each++) {
    const atMs = AGED_MS - 23 * hour + Math.floor((each * 23 * hour) / amount);
    const { userId } = memberOf((each * 7919) % people);
    const id = scribe.id(atMs);
    scribe.add(events, { id, userId, kind: 'account.changed', subjectId: userId, atMs });
    await sink.flush(ENOUGH_ROWS);
  }
  await sink.flush();
}

/** Fills an SQLite file that was migrated and is not in use. Indexes come last: sorting once is faster. */
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

/** Fills a PostgreSQL database that was migrated. The process has to run on that dialect. */
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

/** What a kept store depends on: the schema, and how its rows are written. */
function keyOf(folder: string): string {
  const digest = createHash('sha256');
  const here = fileURLToPath(new URL('.', import.meta.url));
  const sources = ['seed-history.ts', ...readdirSync(join(here, 'history')).map((name) => `history/${name}`)];
  for (const name of readdirSync(folder).sort())
    if (name.endsWith('.sql')) digest.update(readFileSync(join(folder, name)));
  for (const name of sources.sort()) digest.update(readFileSync(join(here, name)));
  return digest.digest('hex').slice(0, 12);
}

export interface AgedFile {
  file: string;
  present: Present;
}

/** An SQLite file of that age, made once and kept for all that read it. Whoever writes takes a copy. */
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

/** A copy of it in a folder of its own, which the caller removes. */
export async function copyOfAged(rewards: Age): Promise<AgedFile & { folder: string }> {
  const { file: kept, present } = await agedSqlite(rewards);
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-aged-'));
  const file = join(folder, 'keepsake.db');
  copyFileSync(kept, file);
  return { file, folder, present };
}

/** A PostgreSQL database of that age: a copy of one that is made once and kept on the server. */
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
  const kept = `keepsake_aged_${keyOf(migrationsFolder.postgres)}_${rewards}`;
  const known = await asAdmin(`select 1 from pg_database where datname = '${kept}'`);
  if (known.length === 0) {
    const building = `${kept}_${process.pid}`;
    await asAdmin(`create database ${building}`);
    await migratePostgres(urlOf(building));
    await seedPostgres(urlOf(building), rewards);
    await asAdmin(`alter database ${building} rename to ${kept}`);
  }
  const name = `keepsake_of_${randomBytes(6).toString('hex')}`;
  await asAdmin(`create database ${name} template ${kept}`);
  return {
    url: urlOf(name),
    present: presentOf(),
    remove: async () => void (await asAdmin(`drop database ${name} with (force)`)),
  };
}
