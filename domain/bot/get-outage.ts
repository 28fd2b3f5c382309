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
 * Returns how long the claim clock has been stopped: the time since the last heartbeat of any bot, if that
 * counts as an outage, or since the operator stopped sending; otherwise 0. After the next heartbeat, or the
 * end of the stop, claim windows are extended by this time; until all of them are, this returns the length of
 * the outage that ended. System time.
 */
export const getOutageMs = (q: Reader, systemMs: number): Answer<number> =>
  answered(readNewest(q, {}), ([newest]) =>
    Math.max(
      outageSince(Number(newest?.atMs ?? 0), systemMs),
      newest?.stoppedMs == null ? 0 : systemMs - Number(newest.stoppedMs),
      Number(newest?.openMs ?? 0),
    ),
  );
