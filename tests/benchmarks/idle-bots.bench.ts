// The share of a core that three bot processes use together while nothing happens, with 1,000 channels on PostgreSQL: one
// has Twitch's part, the others have the rest or stand by. CPU time from Linux, over two minutes; the server's is left out.
// It is a server of its own, because a transaction in any of its databases has the bots look whether something changed.
import { setTimeout as delay } from 'node:timers/promises';
import { rounded } from '#tests/benchmarks/measure.ts';
import { requireOwnServer } from '#tests/support/own-server.ts';

const CHANNELS = 1000;
const BOTS = 3;
/** Of all bots together, in percent of a core. */
const GOAL_PERCENT = 1.5;
const MEASURED_MS = 120_000;

export async function run(): Promise<Record<string, number>> {
  await using server = await requireOwnServer();
  // A process has one dialect, so everything that uses the database is imported after this.
  process.env.DATABASE_URL = server.url;
  const { makeDatabases } = await import('#tests/benchmarks/postgres/databases.ts');
  const { startIdleInstance, untilQuiet } = await import('#tests/benchmarks/idle-instance.ts');
  await using databases = await makeDatabases(server.url, { history: false });
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
