import { and, count, eq, inArray, max, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';

/** A channel the tracker reads. */
export interface WatchedChannel {
  id: string;
  login: string;
  live: boolean;
  streamId: string | null;
  /** The end of the last interval that was read. Domain time. */
  watchedUntilMs: number | null;
  /** When its last stream ended; null while live. Domain time. */
  wentOfflineAtMs: number | null;
  /** Whether it has an open rule. */
  hasOpenRule: boolean;
  /** Whether a rule is open or paused and the channel can be read; watch time continues during a pause. */
  countsWatching: boolean;
  /** Whether an open rule has a follow condition. */
  needsFollows: boolean;
  /** Whether an open rule has a subscription condition. */
  needsSubscribers: boolean;
  /** Whether an open rule has a points condition. */
  needsRedemptions: boolean;
}

/** Restricts a column to open rules. */
const ofOpen = (column: SQLWrapper) => sql`case when ${is(rules.state, 'open')} then ${column} end`;

/** Lists channels with a rule that is not closed, and live channels whose last rule was closed. */
export async function listWatchedChannels(q: Reader): Promise<WatchedChannel[]> {
  const { id, login, live, streamId, watchedUntilMs, wentOfflineAtMs } = channels;
  // Starts from current rules: a scan of all past channels would grow with their number.
  const ids = q
    .select({ id: rules.channelId })
    .from(rules)
    .where(within(rules.state, liveRuleStates))
    .unionAll(q.select({ id: channels.id }).from(channels).where(eq(channels.live, true)));
  const rows = await q
    .select({
      id,
      login,
      live,
      streamId,
      watchedUntilMs,
      wentOfflineAtMs,
      openRules: count(ofOpen(rules.id)),
      rules: count(rules.id),
      readableId: max(twitchAccounts.twitchId),
      followDays: max(ofOpen(rules.followDays)),
      subscriberTier: max(ofOpen(rules.subscriberTier)),
      pointsCost: max(ofOpen(rules.pointsCost)),
    })
    .from(channels)
    .leftJoin(rules, and(eq(rules.channelId, channels.id), within(rules.state, liveRuleStates)))
    .leftJoin(
      twitchAccounts,
      and(eq(twitchAccounts.twitchId, channels.id), is(twitchAccounts.state, 'connected')),
    )
    .where(inArray(channels.id, ids))
    .groupBy(channels.id)
    .orderBy(channels.id);
  return rows.map(
    ({ openRules, rules: lasting, readableId, followDays, subscriberTier, pointsCost, ...channel }) => ({
      ...channel,
      hasOpenRule: Number(openRules) > 0,
      countsWatching: Number(lasting) > 0 && readableId !== null,
      needsFollows: followDays !== null,
      needsSubscribers: subscriberTier !== null,
      needsRedemptions: pointsCost !== null,
    }),
  );
}
