// A minute of live channels by intervals, of which a reading writes only who came, who left and who is due, compared
// with the way before: a row for each present chatter and minute, in a transaction for each channel. On PostgreSQL 5,000
// channels with 500 chatters and 5 rules each (BENCH_CHANNELS: fewer; CPU time is then scaled up), and on SQLite one
// with 100,000 chatters and 20 rules. A twentieth of each chat leaves every minute, and as many come. CPU time is this
// process's and the server's. `ratio` is the worst of measured over goal. The server is the benchmark's own, because log
// is counted for all of it, and makes a checkpoint only when it is asked to: after one, each page is logged whole once
// more, which belongs to no minute. What the minute after one logs is measured too, for both ways alike. BENCH_TOGETHER
// puts fewer than a hundred channels into a transaction.
import { execFileSync } from 'node:child_process';
import { rounded } from '#tests/benchmarks/measure.ts';
import { requireOwnServer } from '#tests/support/own-server.ts';

const CHANNELS = 5000;
const goals = { cpuMs: 10_000, cpuRatio: 0.3, walRatio: 0.15, sqliteRatio: 1 };
/**
 * Settings of its server: no checkpoint but those that are asked for, because each makes PostgreSQL log every page whole
 * once more. The disk is left out; CPU time and log are the same without it.
 */
const roomy = { shared_buffers: '1GB', checkpoint_timeout: '1d', max_wal_size: '200GB' };

export async function run(): Promise<Record<string, number>> {
  const sqlite = new URL('./presence/on-sqlite.ts', import.meta.url).pathname;
  const said = execFileSync(process.execPath, ['--import', 'tsx', sqlite], { encoding: 'utf8' });
  const { ratio: sqliteRatio, cpuMs: sqliteCpuMs, referenceCpuMs: sqliteRowsCpuMs } = JSON.parse(said);
  await using server = await requireOwnServer(roomy);
  // A process has one dialect, so everything that uses the database is imported after this.
  process.env.DATABASE_URL = server.url;
  const { compareOnPostgres } = await import('#tests/benchmarks/presence/on-postgres.ts');
  const channels = Number(process.env.BENCH_CHANNELS ?? CHANNELS);
  const found = await compareOnPostgres(server.url, { channels, known: 600, present: 500, rules: 5 });
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
