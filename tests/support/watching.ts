import { sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { watchTimes } from '#db/schema/channel.ts';

/** Lets viewers watch a channel for more seconds. Nobody is evaluated until the next sweep. */
export async function watchFor(
  db: Database,
  channelId: string,
  pairs: readonly (readonly [twitchId: string, seconds: number])[],
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const [twitchId, seconds] of pairs)
      await tx
        .insert(watchTimes)
        .values({ channelId, twitchId, seconds, nextCheckSeconds: 0 })
        .onConflictDoUpdate({
          target: [watchTimes.channelId, watchTimes.twitchId],
          set: { seconds: sql`${watchTimes.seconds} + ${seconds}` },
        });
  });
}
