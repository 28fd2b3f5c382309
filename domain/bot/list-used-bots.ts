import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { leases } from '#db/schema/lease.ts';
import { isInForce } from './take-leases.ts';

/** Lists the names of the bots that the holder of the lease `steam` uses now. */
export async function listUsedBots(q: Reader): Promise<string[]> {
  const rows = await q
    .select({ id: bots.id })
    .from(bots)
    .innerJoin(leases, eq(leases.epoch, bots.leaseEpoch))
    .where(and(eq(leases.name, 'steam'), isInForce));
  return rows.map(({ id }) => id);
}
