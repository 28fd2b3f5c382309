import { and, eq, notInArray, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { rowsOf } from '#db/dialect.ts';
import { channels, subscribers } from '#db/schema/channel.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';

/** One subscriber of a channel, as Twitch tells it. */
export interface Subscriber {
  twitchId: string;
  tier: SubscriberTier;
}

/**
 * Records subscribers of a channel in one statement, and that Twitch tells them. A `complete` list, whose reading began
 * at `readAtMs`, also forgets who is not in it any more; part of one only adds.
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
  // Whoever subscribes while the pages of the list are read stands on two of them.
  const rows = [...new Map(listed.map((each) => [each.twitchId, each.tier]))];
  const source = rowsOf(rows, { twitch_id: 'text', tier: 'bigint' }, 's');
  const record = async (tx: Tx): Promise<void> => {
    if (list.complete) {
      await tx
        .update(channels)
        .set({ subscribersReadAtMs: list.readAtMs, subscribersFault: null })
        .where(eq(channels.id, channelId));
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
  // Who is heard of meanwhile must not be forgotten by a list that was written at the same time.
  await database.transaction(record, { lock: channelLock(channelId) });
}
