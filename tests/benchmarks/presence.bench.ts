// A minute of live channels by intervals, of which a reading writes only who came, who left and who is due, compared
// with the way before: a row for each present chatter and minute, in a transaction for each channel. On PostgreSQL 5,000
// channels with 500 chatters and 5 rules each (BENCH_CHANNELS: fewer; CPU time is then scaled up), and on SQLite one
// with 100,000 chatters and 20 rules. A twentieth of each chat leaves every minute, and as many come. CPU time is this
// process's and the server's. `ratio` is the worst of measured over goal. Log is counted for the whole server, so nobody
// else may use it.
import { execFileSync } from 'node:child_process';
import { rounded } from '#tests/benchmarks/measure.ts';

const CHANNELS = 5000;
const goals = { cpuMs: 10_000, cpuRatio: 0.3, walRatio: 0.15, sqliteRatio: 1 };

export async function run(): Promise<Record<string, number>> {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!serverUrl) {
    console.error('Set TEST_POSTGRES_URL to a PostgreSQL server whose user may create databases.');
    process.exit(2);
  }
  const sqlite = new URL('./presence/on-sqlite.ts', import.meta.url).pathname;
  const said = execFileSync(process.execPath, ['--import', 'tsx', sqlite], { encoding: 'utf8' });
  const { ratio: sqliteRatio, cpuMs: sqliteCpuMs, referenceCpuMs: sqliteRowsCpuMs } = JSON.parse(said);
  // A process has one dialect, so everything that uses the database is imported after this.
  process.env.DATABASE_URL = serverUrl;
  const { compareOnPostgres } = await import('#tests/benchmarks/presence/on-postgres.ts');
  const channels = Number(process.env.BENCH_CHANNELS ?? CHANNELS);
  const found = await compareOnPostgres(serverUrl, { channels, known: 600, present: 500, rules: 5 });
  const measured = { ...found, cpuMs: (found.cpuMs * CHANNELS) / channels, sqliteRatio };
  const shares = Object.entries(goals).map(([name, goal]) => measured[name as keyof typeof goals] / goal);
  return {
    ratio: rounded(Math.max(...shares)),
    channels,
    ...measured,
    sqliteCpuMs,
    sqliteRowsCpuMs,
  };
}
