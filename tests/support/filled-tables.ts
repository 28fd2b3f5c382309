// Rows for every table of whatever schema a database has, by its own catalogue.
import type { RawConnection } from '#db/engine/seal-stored.ts';

export interface Column {
  table: string;
  name: string;
  type: string;
  /** True if a row cannot leave it out. */
  isRequired: boolean;
}
interface Reference {
  table: string;
  column: string;
  toTable: string;
  toColumn: string;
}
/** A check of one column, as its dialect writes it. */
interface Check {
  table: string;
  column: string | null;
  rule: string;
}
type Value = string | number | boolean | null;
type Row = Record<string, Value>;

const catalogues = {
  sqlite: {
    columns: `select tables.name as "table", columns.name, lower(columns.type) as type,
        (columns."notnull" or columns.pk) and columns.dflt_value is null as "isRequired"
      from sqlite_schema as tables join pragma_table_info(tables.name) as columns
      where tables.type = 'table' and tables.name not like 'sqlite!_%' escape '!' and tables.name <> '__drizzle_migrations'
      order by 1, columns.cid`,
    references: `select tables.name as "table", "from" as "column", parents."table" as "toTable", "to" as "toColumn"
      from sqlite_schema as tables join pragma_foreign_key_list(tables.name) as parents where tables.type = 'table'`,
    checks: `select name as "table", null as "column", sql as rule from sqlite_schema where type = 'table' and sql like '%CHECK(%'`,
  },
  postgres: {
    columns: `select relname as table, attname as name, format_type(atttypid, null) as type,
        attnotnull and not atthasdef as "isRequired"
      from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
      where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname, attnum`,
    references: `select conrelid::regclass::text as table, child.attname as column,
        confrelid::regclass::text as "toTable", parent.attname as "toColumn"
      from pg_constraint cross join lateral unnest(conkey, confkey) as pairs(own, their)
      join pg_attribute as child on child.attrelid = conrelid and child.attnum = own
      join pg_attribute as parent on parent.attrelid = confrelid and parent.attnum = their where contype = 'f'`,
    checks: `select conrelid::regclass::text as table, attname as column, pg_get_constraintdef(pg_constraint.oid) as rule
      from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
      where contype = 'c' and cardinality(conkey) = 1 and connamespace = 'public'::regnamespace`,
  },
};

/** Columns in which SQLite stores JSON as text. */
const jsonColumns = new Set(['scopes', 'candidates', 'values', 'names']);

/**
 * Values that cannot be derived: rules over several columns, and those that the audit of the ledger follows.
 */
const handWritten: Record<string, Record<'least' | 'whole', Row>> = {
  rules: { least: { follow_days: 1 }, whole: {} },
  rewards: { least: {}, whole: { state: 'promised' } },
  items: { least: { state: 'held' }, whole: { state: 'delivered' } },
  ledger_entries: {
    least: { from_holder: 'outside', to_holder: 'held:bots.id least' },
    whole: { from_holder: 'outside', to_holder: 'delivered' },
  },
  transfers: { least: { state: 'queued' }, whole: { state: 'settled' } },
};

async function read<T>({ dialect, run }: RawConnection, what: keyof (typeof catalogues)['sqlite']) {
  return (await run(catalogues[dialect][what], [])) as T[];
}

/** All columns of all tables. */
export const columnsOf = (raw: RawConnection): Promise<Column[]> => read<Column>(raw, 'columns');

/**
 * Inserts two rows into every table: one with as little as it takes, and one with all columns. Rows refer to those of
 * their own kind in other tables.
 */
export async function fillTables(raw: RawConnection): Promise<void> {
  const columns = await columnsOf(raw);
  const references = await read<Reference>(raw, 'references');
  const checks = await read<Check>(raw, 'checks');
  for (const kind of ['least', 'whole'] as const) {
    const rows = new Map<string, Row>();
    for (const table of inOrder([...new Set(columns.map((column) => column.table))], references)) {
      const own = columns.filter((column) => column.table === table);
      const given = handWritten[table]?.[kind] ?? {};
      const used = own.filter(({ name, isRequired }) => kind === 'whole' || isRequired || name in given);
      const valueFor = (column: Column): Value => {
        const written = given[column.name];
        if (written !== undefined) return written;
        const parent = references.find((each) => each.table === table && each.column === column.name);
        if (parent) return rows.get(parent.toTable)?.[parent.toColumn] ?? null;
        return allowedBy(checks, column) ?? sampleOf(column, kind);
      };
      const row = Object.fromEntries(used.map((column) => [column.name, valueFor(column)]));
      rows.set(table, row);
      const names = Object.keys(row).map((name) => `"${name}"`);
      const places = names.map((_, index) => raw.place(index + 1));
      await raw.run(
        `insert into "${table}" (${names.join()}) values (${places.join()})`,
        Object.values(row) as (string | number)[],
      );
    }
  }
}

/** Tables after those that they refer to. */
function inOrder(tables: readonly string[], references: readonly Reference[]): string[] {
  const done: string[] = [];
  while (done.length < tables.length) {
    const ready = tables.filter(
      (table) =>
        !done.includes(table) &&
        references.every(
          (each) => each.table !== table || each.toTable === table || done.includes(each.toTable),
        ),
    );
    if (ready.length === 0) throw new Error('tables refer to each other in a circle');
    done.push(...ready);
  }
  return done;
}

/** The first value that a check lists, or the least. */
function allowedBy(checks: readonly Check[], { table, name }: Column): Value | undefined {
  for (const check of checks) {
    if (check.table !== table || (check.column !== null && check.column !== name)) continue;
    // SQLite has the whole table's text here, PostgreSQL one constraint.
    const listed = check.column
      ? /'([^']*)'::text/.exec(check.rule)
      : new RegExp(`CHECK\\("?${table}"?\\."${name}" in \\('([^']*)'`).exec(check.rule);
    if (listed) return listed[1];
    const least = check.column
      ? /\(\w+ >= (\d+)\)/.exec(check.rule)
      : new RegExp(`"${name}" between (\\d+) and`).exec(check.rule);
    if (least) return Number(least[1]);
  }
  return undefined;
}

function sampleOf({ table, name, type }: Column, kind: string): Value {
  if (type === 'jsonb' || (type === 'text' && jsonColumns.has(name))) return '[]';
  if (type === 'text') return `${table}.${name} ${kind}`;
  if (type === 'integer' || type === 'bigint') return 1;
  if (type === 'boolean') return true;
  throw new Error(`${table}.${name} is of type ${type}: say what a row has there`);
}

/** Every row of these columns, by table. */
export async function rowsOf(
  raw: RawConnection,
  columns: readonly Column[],
): Promise<Record<string, string[]>> {
  const tables = new Map<string, string[]>();
  for (const { table, name } of columns) tables.set(table, [...(tables.get(table) ?? []), name]);
  const found: Record<string, string[]> = {};
  for (const [table, names] of tables) {
    const list = names.map((name) => `"${name}"`).join();
    const rows = await raw.run(`select ${list} from "${table}"`, []);
    found[table] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}
