import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, type ViewerGapReason, viewerGaps, watchTimes } from '#db/schema/channel.ts';
import { minute } from '#domain/kernel/time.ts';

/** A look that is older says nothing about now: the next one failed, or is late. */
const MAX_AGE_MS = 3 * minute;

/**
 * The part of a viewer in the chat of a live channel at the last look at its list. `unknown` means that there was no
 * look yet in this stream (`lookedAtMs` is null), none lately, or one dated ahead by a host's clock.
 */
export type Presence =
  | { is: 'counted' | 'absent'; lookedAtMs: number }
  | { is: 'uncounted'; reason: ViewerGapReason; lookedAtMs: number }
  | { is: 'unknown'; lookedAtMs: number | null };

/**
 * Reads whether a viewer was in the chats of these channels at the last look. Channels that are not live are left
 * out. A look writes one time, in one transaction, for its channel and for all whom it found there.
 */
export async function readPresences(
  q: Reader,
  { userId, channelIds }: { userId: string; channelIds: readonly string[] },
  nowMs: number,
): Promise<Map<string, Presence>> {
  if (channelIds.length === 0) return new Map();
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
  const rows = await q
    .select({
      channelId: channels.id,
      streamStartedAtMs: channels.streamStartedAtMs,
      lookedUntilMs: channels.lookedUntilMs,
      countedUntilMs: watchTimes.countedUntilMs,
      reason: sql<ViewerGapReason | null>`${uncounted}`,
    })
    .from(twitchAccounts)
    .innerJoin(channels, inArray(channels.id, [...channelIds]))
    .leftJoin(
      watchTimes,
      and(eq(watchTimes.channelId, channels.id), eq(watchTimes.twitchId, twitchAccounts.twitchId)),
    )
    .where(and(eq(twitchAccounts.userId, userId), eq(channels.live, true)));
  return new Map(rows.map((row) => [row.channelId, presenceOf(row, nowMs)]));
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
  if (nowMs - lookedAtMs > MAX_AGE_MS || lookedAtMs > nowMs) return { is: 'unknown', lookedAtMs };
  if (countedUntilMs === lookedAtMs) return { is: 'counted', lookedAtMs };
  return reason ? { is: 'uncounted', reason, lookedAtMs } : { is: 'absent', lookedAtMs };
}
