import { and, count, desc, eq, gt, gte, isNotNull, ne, not, type SQL, sql, sum } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, follows, subscribers, watchDays, watchTimes } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';
import { countOf } from '#db/search.ts';
import { day } from '#domain/clock.ts';
import type { Conditions } from '#domain/rule/conditions.ts';

const MOST_NAMES = 5;

/** A rule that is tried on a channel, and whose it would be. */
interface Trial {
  userId: string;
  channelId: string;
  conditions: Conditions;
}

/** What a trial finds; the meanings are those of `DryRun`. */
interface TrialFound {
  viewers: number;
  meeting: number;
  registered: number;
  names: string[];
  /** Who of the meeting did not meet it before these days. */
  newly: number;
  atOnce: number;
}

/** Counts who watched since `fromMs`, who of them meets the conditions, and who would be promised a reward at once. */
export async function tryRule(
  database: Database,
  trial: Trial,
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
): Promise<TrialFound> {
  const viewers = recentViewers(database, trial, fromMs);
  const { conditions } = trial;
  const { followedAtMs, tier } = viewers;
  const fromBeginning = conditions.watchScope === 'sinceRule';
  const seconds = fromBeginning ? viewers.lately : viewers.total;
  const meets = holds(conditions, { seconds, followedAtMs, tier }, nowMs);
  const before = { seconds: sql`${viewers.total} - ${viewers.lately}`, followedAtMs, tier };
  const metBefore =
    fromBeginning && conditions.watchMinutes !== null ? sql`1 = 0` : holds(conditions, before, fromMs);
  const lately = gt(viewers.lately, 0);
  const [counts] = await database.read
    .select({
      viewers: count(),
      meeting: countOf(meets),
      registered: countOf(and(meets, isNotNull(viewers.name))),
      newly: countOf(and(meets, not(metBefore))),
    })
    .from(viewers)
    .where(lately);
  if (!counts) throw new Error('a count without groups has one row');
  // A large channel is read once more only when there is somebody to name.
  const named =
    counts.registered === 0
      ? []
      : await database.read
          .select({ name: viewers.name })
          .from(viewers)
          .where(and(lately, meets, isNotNull(viewers.name)))
          .orderBy(desc(viewers.lately), viewers.twitchId)
          .limit(MOST_NAMES);
  const names = named.map(({ name }) => name ?? '');
  return { ...counts, names, atOnce: await promisedAtOnce(database, trial, nowMs) };
}

interface Facts {
  seconds: unknown;
  followedAtMs: unknown;
  tier: unknown;
}

/** Whether the conditions that are read of a viewer held at a moment; a subscription is taken to have stood then. */
function holds({ watchMinutes, followDays, subscriberTier }: Conditions, facts: Facts, atMs: number): SQL {
  const known = and(
    sql`1 = 1`,
    watchMinutes === null ? undefined : gte(sql`coalesce(${facts.seconds}, 0)`, watchMinutes * 60),
    followDays === null
      ? undefined
      : sql`coalesce(${facts.followedAtMs} <= ${atMs - followDays * day}, 1 = 0)`,
    subscriberTier === null ? undefined : sql`coalesce(${facts.tier} >= ${subscriberTier}, 1 = 0)`,
  );
  return known ?? sql`1 = 1`;
}

/** Everyone who ever watched, with what is known of them; the name only of those who have a verified account here. */
const recentViewers = (database: Database, { userId, channelId }: Trial, fromMs: number) => {
  const days = database.read
    .select({ twitchId: watchDays.twitchId, seconds: sum(watchDays.seconds).as('day_seconds') })
    .from(watchDays)
    .where(and(eq(watchDays.channelId, channelId), gte(watchDays.dayMs, fromMs)))
    .groupBy(watchDays.twitchId)
    .as('days');
  return database.read
    .select({
      twitchId: watchTimes.twitchId,
      total: watchTimes.seconds,
      // What is not rolled up yet was watched on the day that is open; of what was before the first, nobody knows when.
      lately:
        sql<number>`case when ${channels.rolledUpToMs} >= ${bigint(fromMs)} then ${watchTimes.seconds} - ${watchTimes.rolledSeconds} else 0 end + coalesce(${days.seconds}, 0)`.as(
          'lately',
        ),
      followedAtMs: follows.followedAtMs,
      tier: subscribers.tier,
      name: sql<string | null>`case when ${users.id} is not null then ${twitchAccounts.displayName} end`.as(
        'registered_name',
      ),
    })
    .from(watchTimes)
    .innerJoin(channels, eq(channels.id, watchTimes.channelId))
    .leftJoin(days, eq(days.twitchId, watchTimes.twitchId))
    .leftJoin(
      follows,
      and(eq(follows.channelId, watchTimes.channelId), eq(follows.twitchId, watchTimes.twitchId)),
    )
    .leftJoin(
      subscribers,
      and(eq(subscribers.channelId, watchTimes.channelId), eq(subscribers.twitchId, watchTimes.twitchId)),
    )
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, watchTimes.twitchId))
    .leftJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(
      and(
        eq(watchTimes.channelId, channelId),
        ne(watchTimes.twitchId, channelId),
        sql`coalesce(${twitchAccounts.userId}, '') <> ${userId}`,
      ),
    )
    .as('viewers');
};

/** Whom opening the rule would promise a reward, as `qualify` finds them: those with an account, of all times. */
async function promisedAtOnce(database: Database, trial: Trial, nowMs: number): Promise<number> {
  const { userId, channelId, conditions } = trial;
  const startsAtZero = conditions.watchMinutes !== null && conditions.watchScope === 'sinceRule';
  if (startsAtZero || conditions.pointsCost !== null) return 0;
  const { followedAtMs } = follows;
  const facts = { seconds: watchTimes.seconds, followedAtMs, tier: subscribers.tier };
  const [row] = await database.read
    .select({ viewers: count() })
    .from(twitchAccounts)
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .leftJoin(
      watchTimes,
      and(eq(watchTimes.channelId, channelId), eq(watchTimes.twitchId, twitchAccounts.twitchId)),
    )
    .leftJoin(follows, and(eq(follows.channelId, channelId), eq(follows.twitchId, twitchAccounts.twitchId)))
    .leftJoin(
      subscribers,
      and(eq(subscribers.channelId, channelId), eq(subscribers.twitchId, twitchAccounts.twitchId)),
    )
    .where(
      and(ne(users.id, userId), ne(twitchAccounts.twitchId, channelId), holds(conditions, facts, nowMs)),
    );
  return row?.viewers ?? 0;
}
