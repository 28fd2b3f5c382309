// The domain on PostgreSQL, compared with its own statements, prepared and replayed by pg on a copy of the database:
// claims one at a time, and a minute's ticks of live channels. `ratio` is the worse of the two. Then the claims per
// second of one, two and four processes together.
import type { BenchOptions } from '#tests/benchmarks/store.ts';

export async function run(options: BenchOptions): Promise<Record<string, number>> {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!serverUrl) {
    console.error('Set TEST_POSTGRES_URL to a PostgreSQL server whose user may create databases.');
    process.exit(2);
  }
  // A process has one dialect, so everything that uses the database is imported after this.
  process.env.DATABASE_URL = serverUrl;
  const { compareClaims } = await import('#tests/benchmarks/postgres/compare-claims.ts');
  const { compareTicks } = await import('#tests/benchmarks/postgres/compare-ticks.ts');
  const { throughputs } = await import('#tests/benchmarks/postgres/throughputs.ts');
  const claim = await compareClaims(serverUrl, options);
  const tick = await compareTicks(serverUrl, options);
  return {
    ratio: Math.max(claim.ratio, tick.ratio),
    ...prefixed('claim', claim),
    ...prefixed('tick', tick),
    ...(await throughputs(serverUrl, options)),
  };
}

const prefixed = (prefix: string, findings: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(findings).map(([name, value]) => [
      `${prefix}${name[0]?.toUpperCase()}${name.slice(1)}`,
      value,
    ]),
  );
