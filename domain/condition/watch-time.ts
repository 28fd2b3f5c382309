import { and, asc, eq, gt, gte, inArray, isNull, or, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { bigint, is, isAmong, lesser, locking } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, viewerGaps, watchDays, watchTimes } from '#db/schema/channel.ts';
import { rules, watchBaselines } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import {
  atLeast,
  inThousandths,
  isNoMore,
  type Rule,
  type StoredCondition,
  type StoredValue,
} from '#domain/condition/condition.ts';
import { countedSeconds, neededSeconds } from '#domain/condition/counted-seconds.ts';
import { lastWithBaseline, startReading, startRuleChecks } from '#domain/condition/next-check.ts';
import { onChannel, onRule } from '#domain/condition/viewer-joins.ts';
import { lastCountedMs, watched } from '#domain/watch-time/watched.ts';

type Asked = Pick<Rule, 'watchMinutes' | 'watchScope'>;

interface WatchFacts {
  /** All seconds ever watched on the channel. */
  watchedSeconds: number;
  /** Seconds watched before a rule that counts from its beginning. */
  baselineSeconds: number;
}

/** Returns whether nothing counts that was watched before the rule. */
const startsAtZero = ({ watchMinutes, watchScope }: Asked): boolean =>
  watchMinutes !== null && watchScope === 'sinceRule';

/** Minutes watched on the channel, since the rule began or ever. The value only grows. */
export const watchTime = {
  key: 'watch',
  column: 'watchMinutes',
  columns: { watchMinutes: rules.watchMinutes, watchScope: rules.watchScope },
  bounds: { watchMinutes: { min: 1, max: 60 * 24 * 365 } },
  isPaid: false,
  refusedElsewhere: null,
  revocable: null,
  counting: {
    table: watchBaselines,
    startsAtZero,
    begin: startReading,
    start: startRuleChecks,
    reached: lastWithBaseline,
  },
  ownerFacts: {},
  list: null,
  table: watchTimes,
  value: watched,
  isWatched: true,
  isKnownBefore: true,
  comparison: atLeast,
  needed: ({ watchMinutes }: Asked) => (watchMinutes === null ? null : watchMinutes * 60),
  neededInSql: () => neededSeconds,
  nearness: sql<
    number | null
  >`case when ${rules.watchMinutes} is not null then ${lesser(sql`(${countedSeconds}) * ${bigint(1000)} / (${neededSeconds})`, bigint(1000))} end`,
  closeness: () => inThousandths(sql`(${countedSeconds}) * ${bigint(1000)} / (${neededSeconds})`),
  begun: gt(countedSeconds, 0),
  exact: { inSql: meetsWithoutBaseline, filter: withoutBaseline },
  facts: (twitchId: SQLWrapper) => ({
    watchedSeconds:
      sql`coalesce((select ${watched} from ${watchTimes} where ${onChannel(watchTimes, rules.channelId, twitchId)}), 0)`
        .mapWith(Number)
        .as('watched_seconds'),
    baselineSeconds:
      sql`coalesce((select ${watchBaselines.seconds} from ${watchBaselines} where ${onRule(watchBaselines, twitchId)}), 0)`
        .mapWith(Number)
        .as('baseline_seconds'),
  }),
  // A rule that begins to count from its start has no baselines: then everything would count.
  isEased: (from: Asked, to: Asked) =>
    to.watchMinutes === null ||
    (isNoMore(from.watchMinutes, to.watchMinutes) &&
      (from.watchScope === to.watchScope || to.watchScope === 'allTime')),
  records: { list: listWatching, erase: deleteWatching },
  counted: countedSeconds,
  progress({ watchMinutes, watchScope }: Asked, viewer: WatchFacts) {
    if (watchMinutes === null) return null;
    const before = watchScope === 'sinceRule' ? viewer.baselineSeconds : 0;
    const haveSeconds = Math.max(0, viewer.watchedSeconds - before);
    const needSeconds = watchMinutes * 60;
    return { haveSeconds, needSeconds, met: haveSeconds >= needSeconds };
  },
} as const satisfies StoredCondition;

/** Matches viewers who have watched enough without the time before a rule that counts from its beginning. */
function meetsWithoutBaseline(q: Reader) {
  const before = q
    .select({ seconds: watchBaselines.seconds })
    .from(watchBaselines)
    .where(onRule(watchBaselines, twitchAccounts.twitchId));
  return or(
    isNull(rules.watchMinutes),
    is(rules.watchScope, 'allTime'),
    gte(sql`${watched} - coalesce(${before}, 0)`, neededSeconds),
  );
}

const baselinesAmong = statement('baselines_among', (q) =>
  q
    .select({ twitchId: watchBaselines.twitchId, seconds: watchBaselines.seconds })
    .from(watchBaselines)
    .where(
      and(
        eq(watchBaselines.ruleId, sql.placeholder('ruleId')),
        isAmong(watchBaselines.twitchId, sql.placeholder('ids')),
      ),
    ),
);

/** Like `meetsWithoutBaseline`, for viewers who were read already. */
async function withoutBaseline<Viewer extends StoredValue>(
  q: Reader,
  { id: ruleId, watchMinutes, watchScope }: Asked & { id: string },
  viewers: readonly Viewer[],
): Promise<readonly Viewer[]> {
  if (watchMinutes === null || watchScope === 'allTime' || viewers.length === 0) return viewers;
  const ids = JSON.stringify(viewers.map(({ twitchId }) => twitchId));
  const found = await baselinesAmong(q, { ruleId, ids });
  const before = new Map(found.map(({ twitchId, seconds }) => [twitchId, seconds]));
  return viewers.filter(({ twitchId, value }) => value - (before.get(twitchId) ?? 0) >= watchMinutes * 60);
}

/**
 * Lists watch time by channel, by day, and before rules. A channel without a user here is named by its id
 * only.
 */
async function listWatching(q: Reader, userId: string) {
  const linked = eq(twitchAccounts.userId, userId);
  // Days and baselines are keyed by channel and rule, so only watched channels are searched.
  const watchedChannels = q
    .select({ id: watchTimes.channelId })
    .from(watchTimes)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, watchTimes.twitchId))
    .where(linked);
  const totals = await q
    .select({
      channelId: watchTimes.channelId,
      channel: channels.login,
      seconds: watched,
      countedUntilMs: lastCountedMs,
    })
    .from(watchTimes)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, watchTimes.twitchId))
    .leftJoin(channels, eq(channels.id, watchTimes.channelId))
    .where(linked)
    .orderBy(asc(watchTimes.channelId));
  const watchedDays = await q
    .select({ channelId: watchDays.channelId, dayMs: watchDays.dayMs, seconds: watchDays.seconds })
    .from(watchDays)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, watchDays.twitchId))
    .where(and(linked, inArray(watchDays.channelId, watchedChannels)))
    .orderBy(asc(watchDays.dayMs), asc(watchDays.channelId));
  const watchedBeforeRules = await q
    .select({ ruleId: watchBaselines.ruleId, seconds: watchBaselines.seconds })
    .from(watchBaselines)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, watchBaselines.twitchId))
    .innerJoin(rules, eq(rules.id, watchBaselines.ruleId))
    .where(and(linked, inArray(rules.channelId, watchedChannels)))
    .orderBy(asc(watchBaselines.ruleId));
  const notCounted = await q
    .select({
      channelId: viewerGaps.channelId,
      fromMs: viewerGaps.fromMs,
      untilMs: viewerGaps.untilMs,
      reason: viewerGaps.reason,
    })
    .from(viewerGaps)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, viewerGaps.twitchId))
    .where(linked)
    .orderBy(asc(viewerGaps.fromMs), asc(viewerGaps.channelId));
  return { watchTime: totals, watchedDays, watchedBeforeRules, notCounted };
}

async function deleteWatching(tx: Tx, twitchId: string): Promise<void> {
  const watchedChannels = tx
    .select({ id: watchTimes.channelId })
    .from(watchTimes)
    .where(eq(watchTimes.twitchId, twitchId));
  // Readings of these channels wait, because they write the same rows.
  await locking(
    tx
      .select({ id: channels.id })
      .from(channels)
      .where(inArray(channels.id, watchedChannels))
      .orderBy(asc(channels.id)),
  );
  const rulesThere = tx.select({ id: rules.id }).from(rules).where(inArray(rules.channelId, watchedChannels));
  await tx
    .delete(watchBaselines)
    .where(and(inArray(watchBaselines.ruleId, rulesThere), eq(watchBaselines.twitchId, twitchId)));
  await tx
    .delete(watchDays)
    .where(and(inArray(watchDays.channelId, watchedChannels), eq(watchDays.twitchId, twitchId)));
  const deleted = await tx
    .delete(watchTimes)
    .where(eq(watchTimes.twitchId, twitchId))
    .returning({ channelId: watchTimes.channelId });
  // No process may remember them as present there: still in a chat, they have to come again. A reading may have made
  // one of these rows a moment ago.
  const channelIds = deleted.map(({ channelId }) => channelId);
  await tx
    .update(channels)
    .set({ version: sql`${channels.version} + 1` })
    .where(isAmong(channels.id, channelIds));
  await tx.delete(viewerGaps).where(eq(viewerGaps.twitchId, twitchId));
}
