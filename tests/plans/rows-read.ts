import type { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { type Database, postgresDatabase } from '#db/database.ts';

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Node[];
}

/** Adds up the rows that a plan took from each table, those included that it took in vain. */
function addRows(node: Node, rows: Map<string, number>): void {
  const taken =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  const table = node['Relation Name'];
  if (table) rows.set(table, (rows.get(table) ?? 0) + Math.round(taken * node['Actual Loops']));
  for (const part of node.Plans ?? []) addRows(part, rows);
}

export interface RowsRead {
  all: number;
  of(table: string): number;
}

/** Counts the rows that all statements take from their tables while `ask` runs. */
export function rowsReadIn(store: PGlite): (ask: (db: Database) => Promise<unknown>) => Promise<RowsRead> {
  return async (ask) => {
    const rows = new Map<string, number>();
    const measured = new Proxy(store, {
      get(target, verb) {
        if (verb !== 'query') return Reflect.get(target, verb, target);
        return async (...query: Parameters<PGlite['query']>) => {
          const [sql, params] = query;
          const explained = await target.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
            `explain (analyze, format json) ${sql}`,
            params,
          );
          for (const { 'QUERY PLAN': plan } of explained.rows) addRows(plan[0].Plan, rows);
          return target.query(...query);
        };
      },
    });
    await ask(postgresDatabase(drizzle(measured), async () => {}));
    const all = [...rows.values()].reduce((sum, each) => sum + each, 0);
    return { all, of: (table) => rows.get(table) ?? 0 };
  };
}
