import { max } from 'drizzle-orm';
import { type Answer, answered, type Reader } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { statement } from '#db/statement.ts';
import { outageSince } from './record-heartbeat.ts';

const readNewest = statement('newest_heartbeat', (tx) =>
  tx.select({ atMs: max(bots.heartbeatAtMs) }).from(bots),
);

/**
 * How long the claim clock has been stopped: the time since the last heartbeat of any bot, if that counts as an
 * outage; 0 otherwise. The first heartbeat extends the claim windows by this much. System time.
 */
export const getOutageMs = (q: Reader, systemMs: number): Answer<number> =>
  answered(readNewest(q, {}), ([newest]) => outageSince(Number(newest?.atMs ?? 0), systemMs));
