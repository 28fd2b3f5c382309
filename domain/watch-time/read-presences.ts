import { and, eq, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { rowsOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { attendances, channels, type ViewerGapReason, viewerGaps, watchTimes } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { MAX_LOOK_AGE_MS } from '#domain/watch-time/look-age.ts';
import { lastCountedMs, watched } from '#domain/watch-time/watched.ts';

/**
 * The part of a viewer in the chat of a live channel at the last look at its list. `unknown` means that there was no
 * look yet in this stream (`lookedAtMs` is null), none lately, or one dated ahead by a host's clock.
 */
export type Presence =
  | { is: 'counted' | 'absent'; lookedAtMs: number }
  | { is: 'uncounted'; reason: ViewerGapReason; lookedAtMs: number }
  | { is: 'unknown'; lookedAtMs: number | null };

/** The facts of a viewer on a live channel that change with each look at its chat. */
export interface Watched {
  /** All seconds ever watched on the channel. */
  seconds: number;
  /** The seconds with which they came into the running stream, if they have attended it; otherwise null. */
  attendedFromSeconds: number | null;
  presence: Presence;
}

const readLooks = statement('watched_now', (q) => {
  const asked = sql.raw('asked');
  const uncounted = q
    .select({ reason: viewerGaps.reason })
    .from(viewerGaps)
    .where(
      and(
        eq(viewerGaps.twitchId, twitchAccounts.twitchId),
        eq(viewerGaps.channelId, channels.id),
        eq(viewerGaps.untilMs, channels.lookedUntilMs),
      ),
    )
    .limit(1);
  return q
    .select({
      userId: twitchAccounts.userId,
      channelId: channels.id,
      streamStartedAtMs: channels.streamStartedAtMs,
      lookedUntilMs: channels.lookedUntilMs,
      seconds: watched,
      countedUntilMs: lastCountedMs,
      reason: sql<ViewerGapReason | null>`${uncounted}`,
      attendedFromSeconds: attendances.fromSeconds,
    })
    .from(rowsOf(sql.placeholder('viewers'), { user_id: 'text', channel_id: 'text' }, 'asked'))
    .innerJoin(twitchAccounts, eq(twitchAccounts.userId, sql`${asked}.user_id`))
    .innerJoin(channels, and(eq(channels.id, sql`${asked}.channel_id`), eq(channels.live, true)))
    .leftJoin(watchTimes, onChannelOf(watchTimes))
    .leftJoin(
      attendances,
      and(
        onChannelOf(attendances),
        eq(attendances.attended, true),
        eq(attendances.streamNumber, channels.streamNumber),
      ),
    );
});

/** Joins a viewer's row of a channel, in a query over accounts and channels. */
const onChannelOf = (table: Record<'channelId' | 'twitchId', SQLWrapper>) =>
  and(eq(table.channelId, channels.id), eq(table.twitchId, twitchAccounts.twitchId));

/** A viewer and a channel that their page shows. */
export interface ShownTo {
  userId: string;
  channelId: string;
}

/**
 * Reads what is known of viewers on live channels since the last look at their chats. Channels that are not live are
 * left out. A look writes one time, in one transaction, for its channel and for all whom it found there.
 */
export async function readWatched(
  q: Reader,
  shown: readonly ShownTo[],
  nowMs: number,
): Promise<(ShownTo & Watched)[]> {
  if (shown.length === 0) return [];
  const viewers = JSON.stringify(shown.map(({ userId, channelId }) => [userId, channelId]));
  const rows = await readLooks(q, { viewers });
  return rows.map(({ userId, channelId, seconds, attendedFromSeconds, ...look }) => ({
    userId,
    channelId,
    seconds: seconds ?? 0,
    attendedFromSeconds,
    presence: presenceOf(look, nowMs),
  }));
}

/** Reads whether a viewer was in the chats of these channels, as `readWatched` does. */
export async function readPresences(
  q: Reader,
  { userId, channelIds }: { userId: string; channelIds: readonly string[] },
  nowMs: number,
): Promise<Map<string, Presence>> {
  const shown = channelIds.map((channelId) => ({ userId, channelId }));
  const found = await readWatched(q, shown, nowMs);
  return new Map(found.map(({ channelId, presence }) => [channelId, presence]));
}

function presenceOf(
  look: {
    streamStartedAtMs: number | null;
    lookedUntilMs: number | null;
    countedUntilMs: number | null;
    reason: ViewerGapReason | null;
  },
  nowMs: number,
): Presence {
  const { lookedUntilMs: lookedAtMs, countedUntilMs, reason } = look;
  if (lookedAtMs === null || lookedAtMs < (look.streamStartedAtMs ?? 0))
    return { is: 'unknown', lookedAtMs: null };
  if (nowMs - lookedAtMs > MAX_LOOK_AGE_MS || lookedAtMs > nowMs) return { is: 'unknown', lookedAtMs };
  if (countedUntilMs === lookedAtMs) return { is: 'counted', lookedAtMs };
  return reason ? { is: 'uncounted', reason, lookedAtMs } : { is: 'absent', lookedAtMs };
}
