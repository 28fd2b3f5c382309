import { join } from 'node:path';
import { config } from '#app/config.server.ts';
import { type Database, openDatabase } from '#db/database.ts';
import { measureWaits } from '#db/engine/measured-waits.ts';
import { pageLimits } from '#db/engine/time-limits.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { domainNow } from './clock.server.ts';
import { vault } from './vault.server.ts';

let opening: Promise<Database> | null = null;

async function open(): Promise<Database> {
  const { dataFolder, databaseUrl, billing } = config();
  const file = join(dataFolder, 'keepsake.db');
  const opened = await openDatabase({ databaseUrl: databaseUrl ?? undefined, file }, vault(), pageLimits);
  try {
    await sellPlans(opened, billing !== null, await domainNow());
    return await measured(opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** The package that measures is loaded only where somebody reads it. */
async function measured(opened: Database): Promise<Database> {
  if (!config().metricsToken) return opened;
  const { databaseWaits } = await import('#app/http/metrics.server.ts');
  return measureWaits(opened, (seconds) => databaseWaits.observe(seconds));
}

/** This process's database, opened for the first page that needs it. A failed opening is retried. */
export function database(): Promise<Database> {
  opening ??= open().catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}
