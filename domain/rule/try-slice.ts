import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  ne,
  not,
  notInArray,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { watchDays, watchTimes } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';
import {
  type Conditions,
  countsAllWatched,
  hasOnlyStoredConditions,
  joinStored,
  startsAtZero,
  storedConditions,
  unwatchedConditions,
} from '#domain/condition/conditions.ts';
import { day } from '#domain/kernel/time.ts';
import { inSlice, type ViewerSlice } from '#domain/kernel/viewer-slice.ts';
import { watched } from '#domain/watch-time/watched.ts';

/** A rule that is tried on a channel, with its future owner and the last days. */
export interface Trial {
  userId: string;
  channelId: string;
  conditions: Conditions;
  fromMs: number;
  nowMs: number;
  /** True if the time that is not rolled up yet was watched within these days. */
  openDayCounts: boolean;
}

/**
 * Counts the viewers of a slice who watched lately and those who meet the rule, and names the registered ones
 * of these who watched most.
 */
export async function countWatching(db: Database, trial: Trial, slice: ViewerSlice, maxNames: number) {
  const decided = decide(db, trial, slice);
  const counted = (column: SQLWrapper) => sql`count(${column}) over ()`.mapWith(Number);
  const rows = await db.read
    .select({
      name: decided.name,
      twitchId: decided.twitchId,
      lately: sql`${decided.lately}`.mapWith(Number),
      viewers: counted(decided.twitchId),
      meeting: counted(decided.met),
      registered: counted(decided.name),
      newly: counted(decided.newlyMet),
    })
    .from(decided)
    .orderBy(sql`${decided.name} is null`, desc(decided.lately), asc(decided.twitchId))
    .limit(maxNames);
  // Each row has the counts of the whole slice; there is no row if nobody watched.
  const { viewers = 0, meeting = 0, registered = 0, newly = 0 } = rows[0] ?? {};
  const names = rows.flatMap(({ name, ...row }) => (name === null ? [] : [{ ...row, name }]));
  return { viewers, meeting, registered, newly, names };
}

/** Selects everyone in a slice who watched lately, with the decisions about them. */
function decide(db: Database, trial: Trial, slice: ViewerSlice) {
  const viewers = watchedLately(db, trial, slice);
  const { meets, newly } = decisions(trial, viewers);
  const ofOwner = db.read
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.userId, trial.userId));
  const seen = db.read
    .select({
      twitchId: viewers.twitchId,
      lately: viewers.lately,
      met: sql`case when ${meets} then 1 end`.as('met'),
      newlyMet: sql`case when ${newly} then 1 end`.as('newly_met'),
      name: sql<string | null>`case when ${users.id} is not null then ${twitchAccounts.displayName} end`.as(
        'met_name',
      ),
    })
    .from(viewers);
  return (
    joinStored(seen, unwatchedConditions, trial.channelId, viewers.twitchId)
      // Viewers who do not meet the rule are never named, so their accounts are not looked up.
      .leftJoin(
        twitchAccounts,
        eq(twitchAccounts.twitchId, sql`case when ${meets} then ${viewers.twitchId} end`),
      )
      .leftJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
      .where(
        and(
          gt(viewers.lately, 0),
          ne(viewers.twitchId, trial.channelId),
          notInArray(viewers.twitchId, ofOwner),
        ),
      )
      .as('decided')
  );
}

/** Decides whether a viewer of the last days meets the conditions, and whether they already did before. */
function decisions(
  { conditions, fromMs, nowMs }: Trial,
  { lately, total }: ReturnType<typeof watchedLately>,
): { meets: SQL; newly: SQL | undefined } {
  const fromBeginning = startsAtZero(conditions);
  const meets = isMet(conditions, fromBeginning ? lately : total, nowMs);
  if (fromBeginning) return { meets, newly: meets };
  const metBefore = isMet(conditions, sql`${total} - ${lately}`, fromMs);
  return { meets, newly: and(meets, not(metBefore)) };
}

/**
 * Returns whether the stored conditions held at a moment, given the time watched by then; a subscription is
 * assumed to have existed then.
 */
function isMet(conditions: Conditions, watchedSeconds: SQLWrapper, atMs: number): SQL {
  const known = storedConditions.flatMap((each) => {
    const needed = each.needed(conditions, atMs);
    const value = each.isWatched ? watchedSeconds : each.value;
    return needed === null ? [] : [sql`coalesce(${each.comparison.inSql(value, needed)}, 1 = 0)`];
  });
  return and(sql`1 = 1`, ...known) ?? sql`1 = 1`;
}

/**
 * Sums the time that everyone in a slice ever watched and lately watched. The days and the totals are stacked
 * by a union and added up, which takes one sorting; joining them took longer.
 */
function watchedLately(db: Database, trial: Trial, slice: ViewerSlice) {
  const { channelId, fromMs, nowMs, openDayCounts, conditions } = trial;
  const days = Array.from(
    { length: Math.ceil((nowMs + 1 - fromMs) / day) },
    (_, turn) => fromMs + turn * day,
  );
  const onDays = db.read
    .select({
      twitchId: watchDays.twitchId,
      total: bigint(0).as('seen_total'),
      lately: sql`${watchDays.seconds}`.as('seen_lately'),
    })
    .from(watchDays)
    // Names each day, so that the slice is found along the key of each of them.
    .where(
      and(
        eq(watchDays.channelId, channelId),
        inArray(watchDays.dayMs, days),
        inSlice(slice, watchDays.twitchId),
      ),
    );
  const unrolled = sql`${watched} - ${watchTimes.rolledSeconds}`;
  const inAll = db.read
    .select({
      twitchId: watchTimes.twitchId,
      total: watched.as('seen_total'),
      lately: (openDayCounts ? unrolled : bigint(0)).as('seen_lately'),
    })
    .from(watchTimes)
    .where(
      and(
        eq(watchTimes.channelId, channelId),
        inSlice(slice, watchTimes.twitchId),
        countsAllWatched(conditions) ? undefined : sql`${unrolled} > 0`,
      ),
    );
  const seen = onDays.unionAll(inAll).as('seen');
  return db.read
    .select({
      twitchId: seen.twitchId,
      total: sql`sum(${seen.total})`.as('total'),
      lately: sql`sum(${seen.lately})`.as('lately'),
    })
    .from(seen)
    .groupBy(seen.twitchId)
    .as('viewers');
}

/**
 * Counts the viewers of a slice to whom the opened rule would promise a reward, as `qualify` finds them:
 * those with an account, of all times.
 */
export async function countPromised(db: Database, trial: Trial, slice: ViewerSlice): Promise<number> {
  const { userId, channelId, conditions, nowMs } = trial;
  if (startsAtZero(conditions) || !hasOnlyStoredConditions(conditions)) return 0;
  const { twitchId } = twitchAccounts;
  const counted = db.read.select({ viewers: count() }).from(twitchAccounts);
  const [row] = await joinStored(counted, storedConditions, channelId, twitchId)
    .crossJoin(users)
    .where(
      and(
        inSlice(slice, twitchId),
        ne(twitchId, channelId),
        isMet(conditions, watched, nowMs),
        eq(users.id, twitchAccounts.userId),
        isNotNull(users.emailVerifiedAtMs),
        ne(users.id, userId),
      ),
    );
  return row?.viewers ?? 0;
}
