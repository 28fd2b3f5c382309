import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { rowsOf } from '#db/dialect.ts';
import { channels, subscribers } from '#db/schema/channel.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import { channelLock } from '#domain/locks.ts';
import { recordListed } from './count-day.ts';

/** A subscriber of a channel, as reported by Twitch. */
export interface Subscriber {
  twitchId: string;
  tier: SubscriberTier;
}

/**
 * Records subscribers of a channel in one statement and clears the channel's fault. A `complete` list, whose reading
 * began at `readAtMs`, also deletes subscribers missing from it and is the day's number of them; a partial list only
 * adds.
 */
export async function recordSubscribers(
  database: Database,
  {
    channelId,
    subscribers: listed,
    ...list
  }: { channelId: string; subscribers: readonly Subscriber[] } & (
    | { complete: true; readAtMs: number }
    | { complete: false }
  ),
): Promise<void> {
  // A viewer who subscribes during paging can appear on two pages.
  const rows = [...new Map(listed.map((each) => [each.twitchId, each.tier]))];
  const source = rowsOf(rows, { twitch_id: 'text', tier: 'bigint' }, 's');
  const record = async (tx: Tx): Promise<void> => {
    if (list.complete) {
      await tx
        .update(channels)
        .set({ subscribersReadAtMs: list.readAtMs, subscribersFault: null })
        .where(eq(channels.id, channelId));
      await recordListed(tx, { channelId, atMs: list.readAtMs, subscribers: rows.length });
      await tx
        .delete(subscribers)
        .where(
          and(
            eq(subscribers.channelId, channelId),
            notInArray(subscribers.twitchId, sql`(select s.twitch_id from ${source})`),
          ),
        );
    }
    await tx
      .insert(subscribers)
      .select(sql`select cast(${channelId} as text), s.twitch_id, s.tier from ${source} where true` as never)
      .onConflictDoUpdate({
        target: [subscribers.channelId, subscribers.twitchId],
        set: { tier: sql`excluded.tier` },
      });
  };
  // Subscribers recorded after the reading began must not be deleted by it.
  await database.transaction(record, { lock: channelLock(channelId) });
}
