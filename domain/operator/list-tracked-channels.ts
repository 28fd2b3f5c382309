import { and, asc, count, eq, gte, inArray, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type ChatFault, channels, watchGaps } from '#db/schema/channel.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { day } from '#domain/kernel/time.ts';

/** At most this many are listed; the rest are only counted. */
const MAX_LISTED = 8;

/** The reasons why a channel does not work, which its streamer or the chat's moderators have to mend. */
export type ChannelTrouble = 'permissionLost' | 'missing' | ChatFault;

export interface TrackedChannel {
  id: string;
  displayName: string;
  live: boolean;
  /** The end of the last interval that was read in its chat. Domain time. */
  watchedUntilMs: number | null;
  trouble: ChannelTrouble | null;
}

export interface TrackedChannels {
  /** Channels in trouble first, then those that are live. */
  listed: TrackedChannel[];
  total: number;
  live: number;
  /** Intervals of the last 24 hours that did not count on any of them. */
  gaps: number;
}

/**
 * Lists channels with a rule that is not closed, and live ones. The rows read grow with the channels in use
 * today, not with those of the past.
 */
export async function listTrackedChannels(q: Reader, nowMs: number): Promise<TrackedChannels> {
  const { id, displayName, live, watchedUntilMs, chatFault } = channels;
  const ids = q
    .select({ id: rules.channelId })
    .from(rules)
    .where(within(rules.state, liveRuleStates))
    .unionAll(q.select({ id: channels.id }).from(channels).where(eq(channels.live, true)));
  const gaps = sql<number>`(${q
    .select({ gaps: count() })
    .from(watchGaps)
    .where(and(eq(watchGaps.channelId, channels.id), gte(watchGaps.fromMs, nowMs - day)))})`.mapWith(Number);
  const { state, missingSinceMs } = twitchAccounts;
  const rows = await q
    .select({ id, displayName, live, watchedUntilMs, chatFault, state, missingSinceMs, gaps })
    .from(channels)
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, channels.id))
    .where(inArray(channels.id, ids))
    .orderBy(asc(channels.id));
  const tracked = rows.map((row) => ({ ...row, trouble: troubleOf(row) }));
  const urgency = ({ trouble, live: isLive }: TrackedChannel) => (trouble ? 0 : isLive ? 1 : 2);
  return {
    listed: tracked
      .sort((a, b) => urgency(a) - urgency(b))
      .slice(0, MAX_LISTED)
      .map(({ id, displayName, live, watchedUntilMs, trouble }) => ({
        id,
        displayName,
        live,
        watchedUntilMs,
        trouble,
      })),
    total: tracked.length,
    live: tracked.filter((channel) => channel.live).length,
    gaps: tracked.reduce((sum, channel) => sum + channel.gaps, 0),
  };
}

function troubleOf(row: {
  state: string | null;
  missingSinceMs: number | null;
  chatFault: ChatFault | null;
}): ChannelTrouble | null {
  if (row.missingSinceMs !== null) return 'missing';
  return row.state === 'connected' ? row.chatFault : 'permissionLost';
}
