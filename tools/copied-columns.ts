/** The part of drizzle-kit's snapshot that says which columns a table has. */
export interface Snapshot {
  tables: Record<string, { columns: Record<string, unknown> }>;
}

const copies = /INSERT INTO `__new_(\w+)`\([^)]*\) SELECT ([^;]*?) FROM `\w+`;/g;

/**
 * Lists the columns, as `table.column`, that a generated SQLite migration copies from tables which do not have them
 * yet. drizzle-kit writes such a copy when one change both adds a column and makes SQLite rebuild its table.
 */
export const copiedFromNowhere = (ddl: string, before: Snapshot): string[] =>
  [...ddl.matchAll(copies)].flatMap(([, table = '', list = '']) => {
    const known = before.tables[table]?.columns ?? {};
    const copied = list.split(',').map((column) => column.trim().replace(/^"(.*)"$/, '$1'));
    return copied.filter((column) => !(column in known)).map((column) => `${table}.${column}`);
  });
