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

/** The rows that a plan took from tables, those included that it took in vain. */
function rowsOf(node: Node): number {
  const own =
    (node['Actual Rows'] +
      (node['Rows Removed by Filter'] ?? 0) +
      (node['Rows Removed by Index Recheck'] ?? 0)) *
    node['Actual Loops'];
  const parts = (node.Plans ?? []).map(rowsOf);
  return parts.reduce((sum, part) => sum + part, node['Relation Name'] ? own : 0);
}

/** The same store, and how many rows all that is asked of it while `ask` runs takes from its tables. */
export function rowsReadIn(
  store: PGlite,
): (ask: (database: Database) => Promise<unknown>) => Promise<number> {
  return async (ask) => {
    let rows = 0;
    const measured = new Proxy(store, {
      get(target, verb) {
        if (verb !== 'query') return Reflect.get(target, verb, target);
        return async (...query: Parameters<PGlite['query']>) => {
          const [sql, params] = query;
          const explained = await target.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
            `explain (analyze, format json) ${sql}`,
            params,
          );
          for (const { 'QUERY PLAN': plan } of explained.rows) rows += rowsOf(plan[0].Plan);
          return target.query(...query);
        };
      },
    });
    await ask(postgresDatabase(drizzle(measured), async () => {}));
    return Math.round(rows);
  };
}
