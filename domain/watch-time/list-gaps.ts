import { and, desc, eq, gte, inArray, lte, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type ViewerGapReason, viewerGaps, type WatchGapReason, watchGaps } from '#db/schema/channel.ts';
import { day } from '#domain/kernel/time.ts';

export interface WatchGap {
  fromMs: number;
  untilMs: number;
  reason: WatchGapReason | ViewerGapReason;
}

/** Older gaps are not shown, and a list cannot usefully show more per channel. */
const GAPS_SINCE_MS = 14 * day;
const MAX_GAPS = 30;

export type ChannelGap = WatchGap & { channelId: string };

/**
 * Lists the gaps of these channels, newest first. The number per channel is limited, so that an unstable
 * stream does not crowd out the others.
 */
export async function listGaps(
  db: Database,
  { userId, channelIds }: { userId: string; channelIds: readonly string[] },
  nowMs: number,
): Promise<ChannelGap[]> {
  if (channelIds.length === 0) return [];
  const [ofChannels, ofViewer] = await Promise.all([
    channelGapsOf(db, channelIds, nowMs),
    viewerGapsOf(db, { userId, channelIds }, nowMs),
  ]);
  return [...ofChannels, ...ofViewer].sort((one, other) => other.fromMs - one.fromMs);
}

/** Selects the gaps of all viewers of these channels. */
function channelGapsOf(db: Database, channelIds: readonly string[], nowMs: number) {
  const { channelId, fromMs, untilMs, reason } = watchGaps;
  const lately = db.read
    .select({
      channelId,
      fromMs,
      untilMs,
      reason,
      place: sql<number>`row_number() over (partition by ${channelId} order by ${fromMs} desc)`.as('place'),
    })
    .from(watchGaps)
    .where(and(inArray(channelId, [...channelIds]), gte(fromMs, nowMs - GAPS_SINCE_MS)))
    .as('lately');
  return db.read
    .select({
      channelId: lately.channelId,
      fromMs: lately.fromMs,
      untilMs: lately.untilMs,
      reason: lately.reason,
    })
    .from(lately)
    .where(lte(lately.place, MAX_GAPS));
}

/** Lists the gaps of one viewer alone, with why their time did not count. */
async function viewerGapsOf(
  db: Database,
  { userId, channelIds }: { userId: string; channelIds: readonly string[] },
  nowMs: number,
): Promise<ChannelGap[]> {
  const { channelId, fromMs, untilMs, reason } = viewerGaps;
  return db.read
    .select({ channelId, fromMs, untilMs, reason })
    .from(viewerGaps)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, viewerGaps.twitchId))
    .where(
      and(
        eq(twitchAccounts.userId, userId),
        inArray(channelId, [...channelIds]),
        gte(fromMs, nowMs - GAPS_SINCE_MS),
      ),
    )
    .orderBy(desc(fromMs))
    .limit(MAX_GAPS);
}
