import { and, asc, eq, gte, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channelDays, channels } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { sumsWithOpenDay } from '#domain/channel/count-day.ts';
import { day, dayOf } from '#domain/kernel/time.ts';

/** The periods a dashboard shows, in UTC days that end with today. */
export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];

/** A channel's numbers of one UTC day. */
export interface ChannelDay {
  /** The day's first millisecond. */
  dayMs: number;
  watchSeconds: number;
  /** Null on days without a complete list. */
  followers: number | null;
  subscribers: number | null;
  /** Channel points rewards redeemed on this day, and how many of those were refunded. */
  redeemed: number;
  refunded: number;
}

export interface ChannelDays {
  /** Every day of the period, earliest first. */
  days: ChannelDay[];
  /** Watch time of an equal number of days before these; null if nothing was recorded that early. */
  watchSecondsBefore: number | null;
}

const readDays = statement('channel_days', (q) =>
  q
    .select({
      dayMs: channelDays.dayMs,
      watchSeconds: sumsWithOpenDay.watchSeconds.mapWith(Number),
      followers: channelDays.followers,
      subscribers: channelDays.subscribers,
      redeemed: channelDays.redeemed,
      refunded: channelDays.refunded,
    })
    .from(channelDays)
    .innerJoin(channels, eq(channels.id, channelDays.channelId))
    .where(
      and(
        eq(channelDays.channelId, sql.placeholder('channelId')),
        gte(channelDays.dayMs, sql.placeholder('fromMs')),
      ),
    )
    .orderBy(asc(channelDays.dayMs)),
);

/** Returns a channel's numbers of the last days, one entry per day. Reads at most two rows for each. */
export async function getChannelDays(
  { read }: Database,
  { channelId, period }: { channelId: string; period: Period },
  nowMs: number,
): Promise<ChannelDays> {
  const fromMs = dayOf(nowMs) - (period - 1) * day;
  const recorded = await readDays(read, { channelId, fromMs: fromMs - period * day });
  const before = recorded.filter(({ dayMs }) => dayMs < fromMs);
  const known = new Map(recorded.map((each) => [each.dayMs, each]));
  const none = { watchSeconds: 0, followers: null, subscribers: null, redeemed: 0, refunded: 0 };
  const days = Array.from({ length: period }, (_, place) => {
    const dayMs = fromMs + place * day;
    return known.get(dayMs) ?? { dayMs, ...none };
  });
  return {
    days,
    watchSecondsBefore:
      before.length === 0 ? null : before.reduce((sum, { watchSeconds }) => sum + watchSeconds, 0),
  };
}
