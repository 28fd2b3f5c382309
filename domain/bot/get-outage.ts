import { max } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { outageSince } from './record-heartbeat.ts';

/**
 * How long the claim clock has been stopped: the time since the last heartbeat of any bot, if that counts as an
 * outage; 0 otherwise. The first heartbeat extends the claim windows by this much. System time.
 */
export async function getOutageMs(q: Reader, systemMs: number): Promise<number> {
  const [newest] = await q.select({ atMs: max(bots.heartbeatAtMs) }).from(bots);
  return outageSince(Number(newest?.atMs ?? 0), systemMs);
}
