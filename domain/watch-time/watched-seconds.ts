import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { watched } from '#domain/watch-time/watched.ts';

const readSeconds = statement('watched_seconds', (q) =>
  q
    .select({ seconds: watched })
    .from(watchTimes)
    .where(
      and(
        eq(watchTimes.channelId, sql.placeholder('channelId')),
        eq(watchTimes.twitchId, sql.placeholder('twitchId')),
      ),
    ),
);

/** Returns the total time a Twitch user has watched on a channel. */
export async function watchedSeconds(
  db: Database,
  viewer: { channelId: string; twitchId: string },
): Promise<number> {
  const [row] = await readSeconds(db.read, viewer);
  return row?.seconds ?? 0;
}
