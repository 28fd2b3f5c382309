import { and, eq, isNotNull, max, ne, notExists, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { bigint, is, lesser, rowsOf, within } from '#db/dialect.ts';
import { channels, watchTimes } from '#db/schema/channel.ts';
import { liveRuleStates, rules, watchBaselines } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { nextStampSeconds } from '#domain/condition/attendance.ts';
import { neededSeconds, neededTotal } from '#domain/condition/counted-seconds.ts';
import { inSlice, type ViewerSlice } from '#domain/kernel/viewer-slice.ts';
import { crossingOf, watched } from '#domain/watch-time/watched.ts';

/** A total that nobody will reach, so that no check is scheduled. */
export const NO_CHECK_SECONDS = 2 ** 52;

/**
 * Rules whose thresholds are scheduled. Paused ones are included, so that nothing has to be searched again
 * for all viewers of a channel when they go on; until then such a threshold costs one extra check.
 */
const isLive = within(rules.state, liveRuleStates);

/** SQL for the total at which a viewer without watch time on a channel is first checked, in a query of channels. */
export function firstCheckSeconds(tx: Tx): SQL<number> {
  const least = tx
    .select({ seconds: sql`min(${neededSeconds})` })
    .from(rules)
    .where(and(eq(rules.channelId, channels.id), isLive, isNotNull(rules.watchMinutes)));
  return sql`coalesce((${least}), ${sql.raw(String(NO_CHECK_SECONDS))})`.mapWith(Number);
}

/** SQL for the first threshold above a viewer's total, in a query over watch times. */
function nextThreshold(tx: Tx): SQL {
  const next = tx
    .select({ at: sql`min(${neededTotal})` })
    .from(rules)
    .leftJoin(
      watchBaselines,
      and(eq(watchBaselines.ruleId, rules.id), eq(watchBaselines.twitchId, watchTimes.twitchId)),
    )
    .where(
      and(
        eq(rules.channelId, watchTimes.channelId),
        isLive,
        isNotNull(rules.watchMinutes),
        sql`${neededTotal} > ${watched}`,
      ),
    );
  const never = sql.raw(String(NO_CHECK_SECONDS));
  const nextStamp = sql`coalesce(${nextStampSeconds(tx)}, ${never})`;
  return lesser(sql`coalesce((${next}), ${never})`, nextStamp);
}

const schedule = statement('next_checks', (tx) => {
  const { channelId, twitchId } = watchTimes;
  const checked = rowsOf(sql.placeholder('viewers'), { channel: 'text', viewer: 'text' }, 'checked');
  const viewers = sql`(select checked.channel, checked.viewer, ${nextThreshold(tx)} as next_check from ${checked} cross join ${watchTimes} where ${channelId} = checked.channel and ${twitchId} = checked.viewer) as coming`;
  const next = sql`coming.next_check`;
  return tx
    .update(watchTimes)
    .set({ nextCheckSeconds: next, crossAt: crossingOf(next) })
    .from(viewers as never)
    .where(sql`${channelId} = coming.channel and ${twitchId} = coming.viewer`);
});

/** Schedules the next check of viewers on channels, after they were evaluated. */
export async function scheduleNextChecks(
  tx: Tx,
  viewers: readonly { channelId: string; twitchId: string }[],
): Promise<void> {
  const pairs = viewers.map(({ channelId, twitchId }) => [channelId, twitchId]);
  await schedule(tx, { viewers: JSON.stringify(pairs) });
}

/**
 * Starts checks for a new rule on a slice of its channel's viewers: stores baselines if it counts from its own start,
 * and lowers viewers' next checks so that no threshold is missed.
 */
export async function startRuleChecks(
  tx: Tx,
  rule: typeof rules.$inferSelect,
  slice: ViewerSlice,
): Promise<void> {
  if (rule.watchMinutes === null) return;
  const viewers = and(eq(watchTimes.channelId, rule.channelId), inSlice(slice, watchTimes.twitchId));
  const needed = bigint(rule.watchMinutes * 60);
  if (rule.watchScope === 'allTime') return lowerNextChecks(tx, viewers, needed);
  await tx
    .insert(watchBaselines)
    .select(
      tx
        .select({
          ruleId: sql`cast(${rule.id} as text)`.as('rule_id'),
          twitchId: watchTimes.twitchId,
          seconds: watched.as('seconds'),
        })
        .from(watchTimes)
        .where(viewers) as never,
    )
    // A correction may have been interrupted while it began to count.
    .onConflictDoUpdate({
      target: [watchBaselines.ruleId, watchBaselines.twitchId],
      set: { seconds: sql`excluded.seconds` },
    });
  await lowerNextChecks(tx, viewers, sql`${watched} + ${needed}`);
}

/**
 * Lowers the next checks of a slice of viewers to what a corrected rule asks for, so that nobody who reaches
 * it is found only by the channel's hourly sweep.
 */
export async function lowerRuleChecks(
  tx: Tx,
  rule: Pick<typeof rules.$inferSelect, 'id' | 'channelId' | 'watchMinutes' | 'watchScope'>,
  slice: ViewerSlice,
): Promise<void> {
  if (rule.watchMinutes === null) return;
  const viewers = and(eq(watchTimes.channelId, rule.channelId), inSlice(slice, watchTimes.twitchId));
  const needed = bigint(rule.watchMinutes * 60);
  if (rule.watchScope === 'allTime') return lowerNextChecks(tx, viewers, needed);
  const before = tx
    .select({ seconds: watchBaselines.seconds })
    .from(watchBaselines)
    .where(and(eq(watchBaselines.ruleId, rule.id), eq(watchBaselines.twitchId, watchTimes.twitchId)));
  await lowerNextChecks(tx, viewers, sql`${needed} + coalesce((${before}), 0)`);
}

/**
 * Returns the last Twitch id with a baseline, which shows how far an opening has come, because baselines are
 * written in the order of the ids. Null if the rule has none.
 */
export async function lastWithBaseline(tx: Tx, rule: typeof rules.$inferSelect): Promise<string | null> {
  if (rule.watchScope === 'allTime') return null;
  const [row] = await tx
    .select({ last: max(watchBaselines.twitchId) })
    .from(watchBaselines)
    .where(eq(watchBaselines.ruleId, rule.id));
  return row?.last ?? '';
}

/**
 * Viewers already past the total are left to the rule's own evaluation, so that a tick never checks a whole channel.
 */
async function lowerNextChecks(tx: Tx, viewers: SQL | undefined, reached: SQL): Promise<void> {
  await tx
    .update(watchTimes)
    .set({ nextCheckSeconds: reached, crossAt: crossingOf(reached) })
    .where(and(viewers, sql`${watched} < ${reached}`, sql`${watchTimes.nextCheckSeconds} > ${reached}`));
}

/**
 * Starts the watch cursor at the rule's opening. The chat of a live channel without open rules was not read,
 * so the time before counts for nobody and is not a gap.
 */
export async function startReading(tx: Tx, rule: typeof rules.$inferSelect): Promise<void> {
  const others = tx
    .select({ one: sql`1` })
    .from(rules)
    .where(and(eq(rules.channelId, rule.channelId), is(rules.state, 'open'), ne(rules.id, rule.id)));
  await tx
    .update(channels)
    .set({ watchedUntilMs: rule.createdAtMs })
    .where(and(eq(channels.id, rule.channelId), eq(channels.live, true), notExists(others)));
}
