import { max } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { outageSince } from './record-heartbeat.ts';

/**
 * For how long the claim clock has been standing still: since the last sign of life of any bot, once all have been
 * silent for too long. By so much the first beat will move the windows. 0 while it runs. System time.
 */
export async function getOutageMs(q: Reader, systemMs: number): Promise<number> {
  const [newest] = await q.select({ atMs: max(bots.heartbeatAtMs) }).from(bots);
  return outageSince(Number(newest?.atMs ?? 0), systemMs);
}
