import { isNull, max, min, sql } from 'drizzle-orm';
import { type Answer, answered, type Reader } from '#db/database.ts';
import { bots, outages } from '#db/schema/bot.ts';
import { sendingStops } from '#db/schema/sending-stop.ts';
import { statement } from '#db/statement.ts';
import { isOpenOutage } from './open-outages.ts';
import { outageSince } from './record-heartbeat.ts';

const readNewest = statement('newest_heartbeat', (tx) =>
  tx
    .select({
      atMs: max(bots.heartbeatAtMs),
      stoppedMs: sql<number | null>`(${tx
        .select({ ms: min(sendingStops.stoppedSystemMs) })
        .from(sendingStops)
        .where(isNull(sendingStops.resumedAtMs))})`,
      openMs: sql<number | null>`(${tx
        .select({ ms: max(outages.lastedMs) })
        .from(outages)
        .where(isOpenOutage)})`,
    })
    .from(bots),
);

/**
 * How long the claim clock has been stopped: the time since the last heartbeat of any bot, if that counts as an outage,
 * or since the operator stopped sending; 0 otherwise. After the first heartbeat, or the end of the stop, the claim
 * windows are extended by this much; until all are, it is the length of what ended. System time.
 */
export const getOutageMs = (q: Reader, systemMs: number): Answer<number> =>
  answered(readNewest(q, {}), ([newest]) =>
    Math.max(
      outageSince(Number(newest?.atMs ?? 0), systemMs),
      newest?.stoppedMs == null ? 0 : systemMs - Number(newest.stoppedMs),
      Number(newest?.openMs ?? 0),
    ),
  );
