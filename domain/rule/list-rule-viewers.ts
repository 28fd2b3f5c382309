import { and, desc, eq, gt, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows, subscribers, watchTimes } from '#db/schema/channel.ts';
import { qualifications, rules, watchBaselines } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/page.ts';
import { type ConditionProgress, conditionProgress } from '#domain/rule/condition-progress.ts';
import { conditionColumns } from '#domain/rule/conditions.ts';
import { countedSeconds } from '#domain/rule/counted-seconds.ts';
import { onChannel, onRule, viewerFacts } from '#domain/rule/viewer-facts.ts';

export interface RuleViewer {
  twitchId: string;
  displayName: string;
  pictureUrl: string;
  progress: ConditionProgress;
}

/**
 * Registered viewers who have begun with a rule and not met it, those who watched most first; on the first page also how
 * many they are in all. The caller has made sure whose rule it is.
 */
export async function listRuleViewers(
  database: Database,
  { ruleId, after, size = PAGE_SIZE }: { ruleId: string; after?: string | null; size?: number },
  nowMs: number,
): Promise<Page<RuleViewer> & { total: number | null }> {
  const place = decodeCursor(after, ['number', 'text']);
  const { twitchId } = twitchAccounts;
  const known = knownOnChannelOf(database, ruleId);
  const rows = await database.read
    .select({
      twitchId,
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      ...conditionColumns,
      counted: countedSeconds.mapWith(Number),
      ...viewerFacts(twitchId),
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    // First of all: PostgreSQL keeps the order of so many joins.
    .from(known)
    .innerJoin(rules, eq(rules.id, ruleId))
    .innerJoin(twitchAccounts, and(eq(twitchId, known.twitchId), ne(twitchId, rules.channelId)))
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), ne(users.id, rules.ownerId)))
    .leftJoin(watchTimes, onChannel(watchTimes, rules.channelId, twitchId))
    .leftJoin(watchBaselines, onRule(watchBaselines, twitchId))
    .leftJoin(follows, onChannel(follows, rules.channelId, twitchId))
    .leftJoin(subscribers, onChannel(subscribers, rules.channelId, twitchId))
    .leftJoin(qualifications, onRule(qualifications, twitchId))
    .where(
      and(
        isNull(qualifications.ruleId),
        or(
          and(isNotNull(rules.watchMinutes), gt(countedSeconds, 0)),
          and(isNotNull(rules.followDays), isNotNull(follows.followedAtMs)),
          and(isNotNull(rules.subscriberTier), isNotNull(subscribers.tier)),
        ),
        place
          ? or(lt(countedSeconds, place[0]), and(eq(countedSeconds, place[0]), lt(twitchId, place[1])))
          : undefined,
      ),
    )
    .orderBy(desc(countedSeconds), desc(twitchId))
    .limit(size + 1);
  const page = pageOf(rows, size, (row) => [row.counted, row.twitchId]);
  return {
    next: page.next,
    total: place ? null : (rows[0]?.total ?? 0),
    rows: page.rows.map((row) => ({
      twitchId: row.twitchId,
      displayName: row.displayName,
      pictureUrl: row.pictureUrl,
      progress: conditionProgress(row, row, nowMs),
    })),
  };
}

/** Who has watched, follows or subscribes there: of all the accounts there are, only these can have come nearer. */
function knownOnChannelOf({ read }: Database, ruleId: string) {
  const on = (source: typeof watchTimes | typeof follows | typeof subscribers) =>
    read
      .select({ twitchId: source.twitchId })
      .from(rules)
      .innerJoin(source, eq(source.channelId, rules.channelId))
      .where(eq(rules.id, ruleId));
  return on(watchTimes).union(on(follows)).union(on(subscribers)).as('known');
}
