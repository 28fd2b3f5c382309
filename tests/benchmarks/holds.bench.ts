// The longest time that one transaction holds the store, in work whose size follows from an instance's: 5,000
// rewards of one rule, the promises and viewers of 100,000 people, and the rows deleted after a day. On
// SQLite nobody else can write meanwhile, and the process does nothing else. `ratio` is the longest over 250
// ms. With TEST_POSTGRES_URL it runs on PostgreSQL, where only the transaction's own locks are held.
import { rmSync } from 'node:fs';
import { rounded } from '#tests/benchmarks/measure.ts';
import type { BenchOptions } from '#tests/benchmarks/store.ts';

const GOAL_MS = 250;

export async function run(options: BenchOptions): Promise<Record<string, number>> {
  const store = await openStore(options);
  const { measureHolds } = await import('#tests/benchmarks/holds/measure-holds.ts');
  const holds = await measureHolds(store.db).finally(() => store.close());
  const longestMs = Math.max(...Object.values(holds));
  return { ratio: rounded(longestMs / GOAL_MS), ...holds };
}

async function openStore(options: BenchOptions) {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (serverUrl) return openOnServer(serverUrl, options);
  const { openSqlite } = await import('#db/database.ts');
  const { makeBenchFile } = await import('#tests/benchmarks/store.ts');
  const { file, folder } = await makeBenchFile(options);
  const db = await openSqlite(file);
  const close = async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { db, close };
}

async function openOnServer(serverUrl: string, options: BenchOptions) {
  // A process has one dialect, so everything that uses the database is imported after this.
  process.env.DATABASE_URL = serverUrl;
  const { openPostgres } = await import('#db/database.ts');
  const { makeDatabases } = await import('#tests/benchmarks/postgres/databases.ts');
  const databases = await makeDatabases(serverUrl, options);
  const db = await openPostgres(databases.url);
  const close = async () => {
    await db.close();
    await databases[Symbol.asyncDispose]();
  };
  return { db, close };
}
