// The share of a core that three bot processes use together while nothing happens, with 1,000 channels on PostgreSQL: one
// has Twitch's part, the others have the rest or stand by. CPU time from Linux, over two minutes; the server's is left out.
import { setTimeout as delay } from 'node:timers/promises';
import { rounded } from '#tests/benchmarks/measure.ts';

const CHANNELS = 1000;
const BOTS = 3;
/** Of all bots together, in percent of a core. */
const GOAL_PERCENT = 1.5;
const MEASURED_MS = 120_000;

export async function run(): Promise<Record<string, number>> {
  const serverUrl = process.env.TEST_POSTGRES_URL;
  if (!serverUrl) {
    console.error('Set TEST_POSTGRES_URL to a PostgreSQL server whose user may create databases.');
    process.exit(2);
  }
  // A process has one dialect, so everything that uses the database is imported after this.
  process.env.DATABASE_URL = serverUrl;
  const { makeDatabases } = await import('#tests/benchmarks/postgres/databases.ts');
  const { startIdleInstance, untilQuiet } = await import('#tests/benchmarks/idle-instance.ts');
  await using databases = await makeDatabases(serverUrl, { history: false });
  const instance = await startIdleInstance(CHANNELS, { bots: BOTS, databaseUrl: databases.url });
  try {
    await untilQuiet(instance);
    const [before, begin] = [instance.cpuMsOf('bot'), performance.now()];
    await delay(MEASURED_MS);
    const percent = ((instance.cpuMsOf('bot') - before) / (performance.now() - begin)) * 100;
    return { ratio: rounded(percent / GOAL_PERCENT), bots: BOTS, percentOfAll: rounded(percent) };
  } finally {
    await instance.stop();
  }
}
