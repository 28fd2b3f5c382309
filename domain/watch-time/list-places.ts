import { and, eq, gt, isNotNull, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isAmong, numberAt } from '#db/dialect.ts';
import { channels, watchTimes } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { minute, second } from '#domain/kernel/time.ts';

/** A live channel in which a viewer earns. */
export interface PlaceInChannel {
  channelId: string;
  /** Time at which they came, as far as the channel's clock went on since without a gap. Domain time. */
  cameAtMs: number;
}

/** A channel that was not read for so long holds nobody. */
const MAX_AGE_MS = 3 * minute;
/** SQLite answers at once, and nothing else happens meanwhile. */
const VIEWERS_AT_ONCE = 2000;

const readPlaces = statement('places_of_viewers', (q) =>
  q
    .select({
      twitchId: watchTimes.twitchId,
      channelId: channels.id,
      cameAtMs:
        sql`${channels.watchedUntilMs} - (${channels.counted} - ${watchTimes.since}) * ${sql.raw(String(second))}`.mapWith(
          Number,
        ),
    })
    .from(watchTimes)
    // SQLite keeps to this order: there may be many more live channels than a viewer ever watched.
    .crossJoin(channels)
    .where(
      and(
        eq(channels.id, watchTimes.channelId),
        isAmong(watchTimes.twitchId, sql.placeholder('twitchIds')),
        isNotNull(watchTimes.since),
        eq(channels.live, true),
        gt(channels.watchedUntilMs, numberAt('readSinceMs')),
      ),
    ),
);

/** Lists the live channels in which each of these viewers earns, as the database knows it of all processes. */
export async function listPlaces(
  q: Reader,
  twitchIds: readonly string[],
  nowMs: number,
): Promise<Map<string, PlaceInChannel[]>> {
  const places = new Map<string, PlaceInChannel[]>();
  for (let from = 0; from < twitchIds.length; from += VIEWERS_AT_ONCE) {
    const asked = JSON.stringify(twitchIds.slice(from, from + VIEWERS_AT_ONCE));
    const rows = await readPlaces(q, { twitchIds: asked, readSinceMs: nowMs - MAX_AGE_MS });
    for (const { twitchId, channelId, cameAtMs } of rows)
      places.set(twitchId, [...(places.get(twitchId) ?? []), { channelId, cameAtMs }]);
  }
  return places;
}
