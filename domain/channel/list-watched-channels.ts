import { and, count, eq, isNotNull, max, or } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';

/** A channel that the tracker has to look at. */
export interface WatchedChannel {
  id: string;
  login: string;
  live: boolean;
  streamId: string | null;
  /** The end of the last interval that was read. Domain time. */
  watchedUntilMs: number | null;
  /** When its last stream ended; null while live. Domain time. */
  wentOfflineAtMs: number | null;
  /** Some open rule is set on it. Without one, only its going off is still to be noticed. */
  hasOpenRule: boolean;
  /** Some open rule asks for how long a viewer has followed. */
  needsFollows: boolean;
  /** Some open rule asks for a subscription to the channel. */
  needsSubscribers: boolean;
  /** Some open rule asks for channel points. */
  needsRedemptions: boolean;
}

/** The channels with an open rule, and those that lost their last one while they were live. */
export async function listWatchedChannels(q: Reader): Promise<WatchedChannel[]> {
  const { id, login, live, streamId, watchedUntilMs, wentOfflineAtMs } = channels;
  const rows = await q
    .select({
      id,
      login,
      live,
      streamId,
      watchedUntilMs,
      wentOfflineAtMs,
      openRules: count(rules.id),
      followDays: max(rules.followDays),
      subscriberTier: max(rules.subscriberTier),
      pointsCost: max(rules.pointsCost),
    })
    .from(channels)
    .leftJoin(rules, and(eq(rules.channelId, channels.id), eq(rules.state, 'open')))
    .where(or(eq(channels.live, true), isNotNull(rules.id)))
    .groupBy(channels.id)
    .orderBy(channels.id);
  return rows.map(({ openRules, followDays, subscriberTier, pointsCost, ...channel }) => ({
    ...channel,
    hasOpenRule: Number(openRules) > 0,
    needsFollows: followDays !== null,
    needsSubscribers: subscriberTier !== null,
    needsRedemptions: pointsCost !== null,
  }));
}
