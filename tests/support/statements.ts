import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PgDatabase } from 'drizzle-orm/pg-core';
import { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core';
import { isPostgres } from '#db/dialect.ts';

/** A statement that the product prepared during a test, and the module that built it. */
export interface Statement {
  /** From the project's root, as `domain/item/list-custody.ts`. */
  module: string;
  sql: string;
  /** The parameters known when the statement was prepared. */
  params: unknown[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
/** `db/` builds queries for others, and queries built by a test are not the product's. */
const builders = /^(?:app|bot|domain)\//;
const dialect = isPostgres ? 'postgres' : 'sqlite';
const prefix = `statements-${dialect}-`;
/** Many files run in one process, and most of them load modules again. */
const shared = globalThis as { recorded?: { seen: Set<string>; fresh: Statement[] } };

/** Most modules build their queries themselves; a few far above, or in a callback. Deep stacks take long. */
const FRAMES = [8, 60];

/** The calls that led here, the last call first. As V8 has them: to map each to its source line takes long. */
function callers(frames: number): NodeJS.CallSite[] {
  const { stackTraceLimit, prepareStackTrace } = Error;
  Error.stackTraceLimit = frames;
  Error.prepareStackTrace = (_, sites) => sites;
  const { stack } = new Error('who asks');
  Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  return stack as unknown as NodeJS.CallSite[];
}

/** Our module that requested a query; null when a test or a bundle did. */
function askingModule(): string | null {
  for (const frames of FRAMES) {
    const module = askingWithin(frames);
    if (module !== undefined) return module;
  }
  return null;
}

/** Searches this many calls; undefined if none of them is of ours. */
function askingWithin(frames: number): string | null | undefined {
  for (const call of callers(frames)) {
    const name = call.getFileName() ?? '';
    const file = name.startsWith('file://') ? name.slice('file://'.length) : name;
    if (!file.startsWith(root) || file.includes('/node_modules/')) continue;
    const module = file.slice(root.length);
    if (builders.test(module)) return module;
    // In a bundle all modules are one file.
    if (module.startsWith('build/')) return null;
    if (module.startsWith('tests/') && module !== 'tests/support/statements.ts') return null;
  }
  return undefined;
}

interface Query {
  sql: string;
  params: unknown[];
}
interface Session {
  prepareQuery(query: Query, ...rest: unknown[]): unknown;
  prepareOneTimeQuery?(query: Query, ...rest: unknown[]): unknown;
}
type Verb = (...args: unknown[]) => unknown;
type Store = Record<string, Verb> & { session: Session };

function note(module: string, { sql, params }: Query): void {
  const key = `${module} ${sql}`;
  if (!shared.recorded || shared.recorded.seen.has(key)) return;
  shared.recorded.seen.add(key);
  shared.recorded.fresh.push({
    module,
    sql,
    params: params.map((value) => (typeof value === 'object' ? null : value)),
  });
}

/** A session that records the statements prepared in it for a module. */
function noting(session: Session, module: string): Session {
  const wrap = (verb: 'prepareQuery' | 'prepareOneTimeQuery') => ({
    value: (query: Query, ...rest: unknown[]) => {
      note(module, query);
      return session[verb]?.(query, ...rest);
    },
  });
  return Object.create(session, {
    prepareQuery: wrap('prepareQuery'),
    ...(session.prepareOneTimeQuery && { prepareOneTimeQuery: wrap('prepareOneTimeQuery') }),
  });
}

/** Records every query that the product's modules build from now on. */
export function recordStatements(): void {
  if (shared.recorded) return;
  shared.recorded = { seen: new Set(), fresh: [] };
  const prototype = (isPostgres ? PgDatabase : BaseSQLiteDatabase).prototype as unknown as Store;
  for (const verb of ['select', 'selectDistinct', 'insert', 'update', 'delete', 'with', '$count'] as const) {
    const build = prototype[verb];
    if (!build) throw new Error(`drizzle has no ${verb}`);
    prototype[verb] = function (this: Store, ...args: unknown[]) {
      const module = askingModule();
      const store =
        module === null ? this : Object.create(this, { session: { value: noting(this.session, module) } });
      return Reflect.apply(build, store, args);
    };
  }
}

/** Saves the recorded statements for the tests that check them. */
export function saveStatements(): void {
  const folder = process.env.TEST_STORES;
  const fresh = shared.recorded?.fresh.splice(0) ?? [];
  if (!folder || fresh.length === 0) return;
  const lines = fresh.map((statement) => `${JSON.stringify(statement)}\n`).join('');
  appendFileSync(join(folder, `${prefix}${process.pid}`), lines);
}

/** All statements recorded by this run's tests so far, without duplicates. */
export function savedStatements(of: 'sqlite' | 'postgres'): Statement[] {
  const folder = process.env.TEST_STORES ?? '';
  const saved = new Map<string, Statement>();
  for (const name of readdirSync(folder).filter((each) => each.startsWith(`statements-${of}-`)))
    for (const line of readFileSync(join(folder, name), 'utf8').trim().split('\n')) {
      const statement = JSON.parse(line) as Statement;
      saved.set(`${statement.module} ${statement.sql}`, statement);
    }
  return [...saved.values()];
}
