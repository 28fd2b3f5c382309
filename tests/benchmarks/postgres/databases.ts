import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Database, openPostgres } from '#db/database.ts';
import { migratePostgres } from '#db/migrate.ts';
import { agedPostgres } from '#tests/benchmarks/seed-history.ts';
import { type BenchOptions, leaveNumbersOfThePast, PAST_REWARDS } from '#tests/benchmarks/store.ts';

/** The databases of one benchmark on a server, dropped when it ends. */
export interface Databases {
  url: string;
  /** A copy of the database as it is. Nobody may be connected to it. */
  copy(): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function makeDatabases(serverUrl: string, { history }: BenchOptions): Promise<Databases> {
  const made: string[] = [];
  const asAdmin = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  const create = async (template?: string): Promise<string> => {
    const name = `keepsake_bench_${randomBytes(6).toString('hex')}`;
    await asAdmin(`create database ${name}${template ? ` template ${template}` : ''}`);
    made.push(name);
    return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  };
  const aged = history ? await agedPostgres(serverUrl, PAST_REWARDS) : undefined;
  if (aged) leaveNumbersOfThePast();
  const url = aged?.url ?? (await create());
  if (!aged) await migratePostgres(url);
  return {
    url,
    copy: () => create(new URL(url).pathname.slice(1)),
    async [Symbol.asyncDispose]() {
      for (const name of made) await asAdmin(`drop database ${name} with (force)`);
      await aged?.remove();
    },
  };
}

/** Prepares a database without waiting for the disk. */
export async function preparing<T>(url: string, prepare: (db: Database) => Promise<T>): Promise<T> {
  const hasty = new URL(url);
  hasty.searchParams.set('options', '-c synchronous_commit=off');
  const db = await openPostgres(hasty.href);
  return prepare(db).finally(() => db.close());
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}
