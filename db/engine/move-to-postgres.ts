// Moves an instance from SQLite to PostgreSQL, in one transaction.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import {
  applyPostgresSteps,
  isNewestSqlite,
  lockPostgresSteps,
  rawSqlite,
  stepsMissingInPostgres,
} from '#db/migrate.ts';
import { connectionSettings } from './connection-settings.ts';
import { lineTally, lineWriter, type TableFacts, type Tally } from './copy-lines.ts';
import { liftLimits } from './lift-limits.ts';
import { requireKey } from './prove-key.ts';
import { sealStored } from './seal-stored.ts';
import type { Seals } from './sealed-text.ts';
import type { SqliteDriver } from './sqlite-driver.ts';

type Source = InstanceType<SqliteDriver>;

export type MoveRefusal = 'otherSource' | 'otherTarget' | 'notEmpty' | 'differs' | 'unknown';
export type Moved =
  | { ok: true; rows: number; wasThere: boolean }
  | { ok: false; code: MoveRefusal; why: string };

/** Says which processes run on a database: neither is it copied, nor does it make one not empty. */
const OF_ONE_DATABASE = 'processes';

const refuseFor = (code: MoveRefusal, why: string): Moved => ({ ok: false, code, why });

interface MoveRequest {
  /** The whole SQLite database, in a transaction on a connection that locks everyone else out. */
  source: Source;
  /** The address of PostgreSQL: a database without tables, or migrated by this version and without rows. */
  url: string;
  /** Under the key of the instance: sealed text is copied as it is. */
  seals: Seals;
  /** Takes a line about how far it is. */
  say(line: string): void;
}

/**
 * Copies every row, compares each table and the ledger's holders of items on both sides, and commits. If it
 * fails or is interrupted, PostgreSQL is unchanged. Other clients wait meanwhile. If everything is there
 * already, because the answer to a commit was lost, nothing is copied.
 */
export async function moveToPostgres({ source, url, seals, say }: MoveRequest): Promise<Moved> {
  if (!(await isNewestSqlite(source)))
    return refuseFor('otherSource', 'the SQLite database has the schema of another version');
  await requireKey(rawSqlite(source), seals);
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    ...connectionSettings,
    connectionTimeoutMillis: 10_000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('begin');
    await liftLimits(client, 'transaction');
    const copied = await copyAndCompare({ source, seals, say }, client);
    if (!copied.ok) return copied;
    const lost = await client.query('commit').then(
      () => null,
      (error: Error) => error,
    );
    if (lost)
      return refuseFor(
        'unknown',
        `Whether all is in PostgreSQL now is not known (${lost.message}). Repeat this command before you start Keepsake`,
      );
    await client.query('analyze').catch((error: Error) => {
      say(
        `PostgreSQL has everything, but has not counted it for its planner (${error.message}): run ANALYZE.`,
      );
    });
    return copied;
  } finally {
    await client.end().catch(() => {});
  }
}

async function copyAndCompare(
  { source, seals, say }: Omit<MoveRequest, 'url'>,
  client: Client,
): Promise<Moved> {
  const refused = await prepareTarget(client);
  if (refused) return refused;
  const all = await tablesOf(client);
  requireSameTables(source, all);
  const tables = all.filter(({ name }) => name !== OF_ONE_DATABASE);
  // A process that was started here too early neither reads half of it nor writes beside it.
  const names = all.map(({ name }) => quoted(name)).join(', ');
  await client.query(`lock table ${names} in access exclusive mode`);
  await sealRest(source, seals);
  const isEmpty = await hasNoRows(client, tables);
  const sent = new Map<string, Tally>();
  // Triggers would count each row as a change, beside the counts that are copied.
  if (isEmpty) await switchTriggers(client, tables, 'disable');
  const deferred = isEmpty ? await dropIndexesAndReferences(client) : [];
  for (const table of tables) {
    const tally = isEmpty ? await copyTable(source, client, table, say) : tallyOfSource(source, table);
    sent.set(table.name, tally);
  }
  if (isEmpty) say('Building indexes and checking references.');
  await client.query("set local maintenance_work_mem = '256MB'");
  for (const definition of deferred) await client.query(definition);
  if (isEmpty) await switchTriggers(client, tables, 'enable');
  say('Comparing both databases.');
  const difference =
    (await firstDifference(client, tables, sent)) ?? (await differenceOfHolders(source, client));
  if (difference)
    return isEmpty
      ? refuseFor('differs', `after copying, ${difference}`)
      : refuseFor('notEmpty', `it is not empty, and not this instance's: ${difference}`);
  const rows = [...sent.values()].reduce((sum, tally) => sum + tally.rows, 0);
  return { ok: true, rows, wasThere: !isEmpty };
}

/**
 * Seals text that a process of an older version stored plain, as the next upgrade would. The seals stay even
 * if the move fails.
 */
async function sealRest(source: Source, seals: Seals): Promise<void> {
  source.pragma('secure_delete = ON');
  // The file of the transaction that is undone would contain it too.
  source.pragma('journal_size_limit = 0');
  await sealStored(rawSqlite(source), seals);
  source.exec('COMMIT; BEGIN EXCLUSIVE');
}

async function prepareTarget(client: Client): Promise<Moved | null> {
  const raw = {
    dialect: 'postgres' as const,
    place: (number: number) => `$${number}`,
    run: async (query: string, values: readonly (string | number)[]) =>
      (await (values.length > 0 ? client.query(query, [...values]) : client.query(query))).rows,
  };
  await lockPostgresSteps(raw);
  const missing = await stepsMissingInPostgres(raw);
  if (missing.isNewer) return refuseFor('otherTarget', 'PostgreSQL has the schema of a newer version');
  if (missing.steps.length === 0) return null;
  if (!missing.isNew) return refuseFor('otherTarget', 'PostgreSQL has the schema of an older version');
  const [table] = await tablesOf(client);
  if (table) return refuseFor('notEmpty', `it has a table ${table.name}, which is not ours`);
  await applyPostgresSteps(raw, missing.steps);
  return null;
}

type Row = Record<string, unknown>;
const rowsOf = async (client: Client, query: string): Promise<Row[]> => (await client.query(query)).rows;

const OURS = 'relnamespace = current_schema()::regnamespace';

async function tablesOf(client: Client): Promise<TableFacts[]> {
  const { rows } = await client.query<{ table: string; name: string; type: string }>(
    `select relname as table, attname as name, format_type(atttypid, null) as type from pg_class
     join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
     where ${OURS} and relkind in ('r', 'p') order by relname, attnum`,
  );
  const tables = new Map<string, { name: string; type: string }[]>();
  for (const { table, name, type } of rows) tables.set(table, [...(tables.get(table) ?? []), { name, type }]);
  return [...tables].map(([name, columns]) => ({ name, columns }));
}

/** Both have had the same migrations, so this fails only if somebody changed a table by hand. */
function requireSameTables(source: Source, tables: readonly TableFacts[]): void {
  const columnsOf = source.prepare('select name from pragma_table_info(?) order by name').pluck();
  const names = source
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!' and name <> '__drizzle_migrations'",
    )
    .pluck()
    .all() as string[];
  const here = names.map((name) => `${name}(${columnsOf.all(name).join()})`).sort();
  const there = tables
    .map(
      ({ name, columns }) =>
        `${name}(${columns
          .map((each) => each.name)
          .sort()
          .join()})`,
    )
    .sort();
  const odd = [
    ...here.filter((each) => !there.includes(each)),
    ...there.filter((each) => !here.includes(each)),
  ];
  if (odd.length > 0) throw new Error(`the tables of both databases are not alike: ${odd.join('; ')}`);
}

async function hasNoRows(client: Client, tables: readonly TableFacts[]): Promise<boolean> {
  const any = tables.map(({ name }) => `exists (select from ${quoted(name)})`).join(' or ');
  return (await rowsOf(client, `select ${any} as found`))[0]?.found === false;
}

async function switchTriggers(
  client: Client,
  tables: readonly TableFacts[],
  to: 'disable' | 'enable',
): Promise<void> {
  for (const { name } of tables) await client.query(`alter table ${quoted(name)} ${to} trigger user`);
}

/** Returns the statements that bring them back. Sorting once is faster than keeping them up to date. */
async function dropIndexesAndReferences(client: Client): Promise<string[]> {
  const references = await rowsOf(
    client,
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace`,
  );
  for (const { table, name } of references)
    await client.query(`alter table ${table} drop constraint ${name}`);
  const indexes = await rowsOf(
    client,
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index join pg_class on pg_class.oid = indexrelid
     where ${OURS} and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  return [
    ...indexes.map(({ definition }) => String(definition)),
    ...references.map(
      ({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`,
    ),
  ];
}

const quoted = (name: string): string => `"${name}"`;
const columnList = ({ columns }: TableFacts): string => columns.map(({ name }) => quoted(name)).join(', ');

function* linesOfSource(source: Source, table: TableFacts): Generator<string> {
  const write = lineWriter(table);
  const rows = source
    .prepare(`select ${columnList(table)} from ${quoted(table.name)}`)
    .raw()
    .iterate();
  for (const row of rows) yield write(row as unknown[]);
}

function tallyOfSource(source: Source, table: TableFacts): Tally {
  const tally = lineTally(table);
  for (const line of linesOfSource(source, table)) tally.add(line);
  return tally.result();
}

const CHUNK_CHARACTERS = 256 * 1024;
const SAY_EVERY_ROWS = 500_000;

async function copyTable(
  source: Source,
  client: Client,
  table: TableFacts,
  say: MoveRequest['say'],
): Promise<Tally> {
  const { from } = await import('pg-copy-streams');
  const total = Number(
    source
      .prepare(`select count(*) from ${quoted(table.name)}`)
      .pluck()
      .get(),
  );
  const tally = lineTally(table);
  function* chunks(): Generator<string> {
    let chunk = '';
    let rows = 0;
    for (const line of linesOfSource(source, table)) {
      tally.add(line);
      chunk += `${line}\n`;
      rows += 1;
      if (rows % SAY_EVERY_ROWS === 0) say(`${table.name}: ${rows} of ${total} rows`);
      if (chunk.length < CHUNK_CHARACTERS) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  }
  const target = client.query(from(`copy ${quoted(table.name)} (${columnList(table)}) from stdin`));
  await pipeline(Readable.from(chunks(), { objectMode: false }), target);
  if (total > 0) say(`${table.name}: ${total} rows`);
  return tally.result();
}

async function tallyOfTarget(client: Client, table: TableFacts): Promise<Tally> {
  const { to } = await import('pg-copy-streams');
  const tally = lineTally(table);
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of client.query(to(`copy ${quoted(table.name)} (${columnList(table)}) to stdout`))) {
    const bytes: Buffer = Buffer.concat([rest, part as Buffer]);
    const end = bytes.lastIndexOf('\n');
    // Cut at a line's end, because a character may be in two parts.
    const lines = bytes.toString('utf8', 0, end + 1).split('\n');
    for (const line of lines.slice(0, -1)) tally.add(line);
    rest = bytes.subarray(end + 1);
  }
  return tally.result();
}

async function firstDifference(
  client: Client,
  tables: readonly TableFacts[],
  sent: ReadonlyMap<string, Tally>,
): Promise<string | null> {
  for (const table of tables) {
    const [here, there] = [sent.get(table.name), await tallyOfTarget(client, table)];
    if (here?.rows !== there.rows)
      return `${table.name} has ${there.rows} rows in PostgreSQL and ${here?.rows} in SQLite`;
    if (here.digest !== there.digest) return `rows of ${table.name} differ`;
  }
  return null;
}

/** Counts each holder's items, by the ledger and by the items' own rows. */
async function holdersIn(ask: (query: string) => Row[] | Promise<Row[]>): Promise<Map<string, number>> {
  const byLedger = await ask(
    `select holder, count(*) as items from (
       select item_id, holder from (
         select item_id, to_holder as holder, 1 as came from ledger_entries
         union all select item_id, from_holder, -1 from ledger_entries
       ) as steps group by item_id, holder having sum(came) = 1
     ) as held group by holder`,
  );
  const byRow = await ask('select state, bot_id, count(*) as items from items group by state, bot_id');
  return new Map([
    ...byLedger.map(({ holder, items }) => [`ledger: ${holder}`, Number(items)] as const),
    ...byRow.map(({ state, bot_id: bot, items }) => [`items: ${state} ${bot}`, Number(items)] as const),
  ]);
}

async function differenceOfHolders(source: Source, client: Client): Promise<string | null> {
  const here = await holdersIn((query) => source.prepare(query).all() as Row[]);
  const there = await holdersIn((query) => rowsOf(client, query));
  for (const holder of new Set([...here.keys(), ...there.keys()]))
    if (here.get(holder) !== there.get(holder))
      return `${holder} has ${there.get(holder) ?? 0} items in PostgreSQL and ${here.get(holder) ?? 0} in SQLite`;
  return null;
}
