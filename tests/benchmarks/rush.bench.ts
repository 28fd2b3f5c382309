// A rush on claims over HTTP: a thousand viewers press five times each, at one web process and at three, on PostgreSQL.
// The CPU time of a first claim is compared with that of a signed-in POST that writes one row, asked in turn at the same
// process. Fails if a reward was not sent exactly once, or an answer was an error of the server.
import { rounded } from '#tests/benchmarks/measure.ts';
import type { BenchOptions } from '#tests/benchmarks/store.ts';

/** The web processes that share the rush. */
const CROWDS = [1, 3];
/** The CPU time of a first claim, as a multiple of the other POST. */
const GOAL = 1.5;

export async function run(options: BenchOptions): Promise<Record<string, number>> {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!serverUrl) {
    console.error('Set TEST_POSTGRES_URL to a PostgreSQL server whose user may create databases.');
    process.exit(2);
  }
  // A process has one dialect, so everything that uses the database is imported after this.
  process.env.DATABASE_URL = serverUrl;
  const { makeDatabases } = await import('#tests/benchmarks/postgres/databases.ts');
  const { rush } = await import('#tests/benchmarks/rush/rush.ts');
  await using databases = await makeDatabases(serverUrl, options);
  const findings: Record<string, number> = {};
  let worst = 0;
  for (const processes of CROWDS) {
    const found = await rush(databases.url, processes);
    for (const [name, value] of Object.entries(found)) findings[`${name}At${processes}`] = rounded(value);
    worst = Math.max(worst, found.claimCpuMs / found.referenceCpuMs);
  }
  return { ratio: rounded(worst / GOAL), ...findings };
}
