import { barsOf, type ChartShape, lineOf } from '#app/routes/dashboard/chart-shapes.server.ts';
import { dayTextOf, startsOfDays } from '#app/services/forms/date-range.server.ts';
import type { Database } from '#db/database.ts';
import { getLiveState, type LiveState } from '#domain/channel/get-live-state.ts';
import { findChatTrouble } from '#domain/channel/mail-chat-troubles.ts';
import { day } from '#domain/kernel/time.ts';
import { countRewards, type RewardCounts } from '#domain/view/count-rewards.ts';
import {
  type ChannelDay,
  type ChannelDays,
  getChannelDays,
  type Period,
} from '#domain/view/get-channel-days.ts';
import { getTasks, type Tasks } from '#domain/view/get-tasks.ts';
import { type Delivery, listLatestDeliveries } from '#domain/view/list-latest-deliveries.ts';
import { getStreamCheck, type StreamCheck } from '#domain/watch-time/get-stream-check.ts';

/** The metrics of a dashboard, in their order. */
export const figureNames = ['rewards', 'watchTime', 'followers', 'subscriptions', 'channelPoints'] as const;
export type FigureName = (typeof figureNames)[number];

/** A metric over time: its chart, and its change. */
export interface Figure {
  chart: ChartShape | null;
  /** Null while unknown. */
  value: number | null;
  change: number | null;
}

/** The rows of the requested table, latest day first. */
export interface FigureTable {
  of: Exclude<FigureName, 'rewards'>;
  days: { dayMs: number; value: number | null; refunded: number }[];
}

/** Number of deliveries that a dashboard shows. */
const DELIVERIES = 6;

export interface StreamerDashboard {
  period: Period;
  /** Null while the channel is offline. */
  live: LiveState | null;
  /** Null once it is no longer news. */
  firstStream: StreamCheck | null;
  /** True if the bot's lines do not reach the channel's chat. */
  hasChatTrouble: boolean;
  tasks: Omit<Tasks, 'unlocks'> & {
    unlocking: { items: number; days: { startMs: number; items: number }[] };
  };
  rewards: RewardCounts;
  /** The first day of the promises that `rewards` counts, in the visitor's zone: 2026-11-30. */
  sinceDay: string;
  figures: Record<Exclude<FigureName, 'rewards'>, Figure> & { refunded: number };
  /** Latest first. */
  deliveries: Delivery[];
  /** The first, the middle and the last day of the charts, each as a time within it. */
  axis: [number, number, number];
  table: FigureTable | { of: 'rewards' } | null;
}

const hoursOf = (seconds: number) => seconds / 3600;
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** The last known number, and its difference from the first known one. */
function figureOf(values: readonly (number | null)[]): Figure {
  const known = values.filter((value) => value !== null);
  const [first, last] = [known[0], known.at(-1)];
  return {
    chart: lineOf(values),
    value: last ?? null,
    change: known.length < 2 ? null : (last ?? 0) - (first ?? 0),
  };
}

function figuresOf({ days, watchSecondsBefore }: ChannelDays): StreamerDashboard['figures'] {
  const hours = days.map(({ watchSeconds }) => hoursOf(watchSeconds));
  const redeemed = days.map((each) => each.redeemed);
  const watched = sumOf(hours);
  return {
    watchTime: {
      chart: barsOf(hours, { whole: false }),
      value: watched,
      change: watchSecondsBefore ? watched / hoursOf(watchSecondsBefore) - 1 : null,
    },
    followers: figureOf(days.map(({ followers }) => followers)),
    subscriptions: figureOf(days.map(({ subscribers }) => subscribers)),
    channelPoints: { chart: barsOf(redeemed, { whole: true }), value: sumOf(redeemed), change: null },
    refunded: sumOf(days.map(({ refunded }) => refunded)),
  };
}

const valueIn: Record<Exclude<FigureName, 'rewards'>, (each: ChannelDay) => number | null> = {
  watchTime: ({ watchSeconds }) => hoursOf(watchSeconds),
  followers: ({ followers }) => followers,
  subscriptions: ({ subscribers }) => subscribers,
  channelPoints: ({ redeemed }) => redeemed,
};

function tableOf(name: FigureName | null, days: readonly ChannelDay[]): StreamerDashboard['table'] {
  if (name === null) return null;
  if (name === 'rewards') return { of: name };
  const rows = days.map((each) => ({
    dayMs: each.dayMs,
    value: valueIn[name](each),
    refunded: each.refunded,
  }));
  return { of: name, days: rows.toReversed() };
}

/** The seven days from today, with the items that unlock on each. */
function weekOf(unlocks: Tasks['unlocks'], starts: readonly number[]) {
  const days = starts.slice(0, -1).map((startMs, place) => ({
    startMs,
    items: sumOf(
      unlocks
        .filter(({ atMs }) => atMs >= startMs && atMs < (starts[place + 1] ?? 0))
        .map(({ items }) => items),
    ),
  }));
  return { items: sumOf(days.map(({ items }) => items)), days };
}

/** Reads a streamer's dashboard: today's tasks, and the metrics of a period. */
export async function readStreamerDashboard(
  db: Database,
  asked: { ownerId: string; channelId: string; period: Period; table: FigureName | null; timeZone: string },
  nowMs: number,
): Promise<StreamerDashboard> {
  const { ownerId, channelId, period, table, timeZone } = asked;
  const starts = startsOfDays(nowMs, 8, timeZone);
  const { unlocks, ...needs } = await getTasks(db, { ownerId, untilMs: (starts.at(-1) ?? 0) - 1 }, nowMs);
  const recorded = await getChannelDays(db, { channelId, period }, nowMs);
  const { days } = recorded;
  const check = await getStreamCheck(db, channelId, nowMs);
  const [sinceMs = nowMs] = startsOfDays(nowMs - (period - 1) * day, 1, timeZone);
  const axisDays = [days[0], days[Math.floor((days.length - 1) / 2)], days.at(-1)];
  return {
    period,
    live: await getLiveState(db, channelId, nowMs),
    hasChatTrouble: (await findChatTrouble(db.read, channelId)) !== null,
    firstStream: check?.isFirst ? check : null,
    tasks: { ...needs, unlocking: weekOf(unlocks, starts) },
    rewards: await countRewards(db, { ownerId, sinceMs }),
    sinceDay: dayTextOf(sinceMs, timeZone),
    figures: figuresOf(recorded),
    deliveries: await listLatestDeliveries(db, { ownerId, limit: DELIVERIES }),
    axis: axisDays.map((each) => each?.dayMs ?? nowMs) as [number, number, number],
    table: tableOf(table, days),
  };
}
