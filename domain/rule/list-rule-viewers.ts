import { and, desc, eq, lt, ne, notExists, or, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { watchTimes } from '#db/schema/channel.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/page.ts';
import { asksInSql } from '#domain/rule/conditions/condition.ts';
import {
  type ConditionProgress,
  conditionColumns,
  conditionProgress,
  joinCounted,
  joinStored,
  storedConditions,
  viewerFacts,
  viewerOrder,
} from '#domain/rule/conditions/conditions.ts';
import { onRule } from '#domain/rule/viewer-joins.ts';

export interface RuleViewer {
  twitchId: string;
  displayName: string;
  pictureUrl: string;
  progress: ConditionProgress;
}

/**
 * Lists registered viewers who have started a rule and not met it, longest watch time first; the first page also has
 * the total. The caller has checked access to the rule.
 */
export async function listRuleViewers(
  database: Database,
  { ruleId, after, size = PAGE_SIZE }: { ruleId: string; after?: string | null; size?: number },
  nowMs: number,
): Promise<Page<RuleViewer> & { total: number | null }> {
  const place = decodeCursor(after, ['number', 'text']);
  const { twitchId } = twitchAccounts;
  const known = knownOnChannelOf(database, ruleId);
  const viewers = database.read
    .select({
      twitchId,
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      ...conditionColumns,
      order: viewerOrder.mapWith(Number),
      ...viewerFacts(twitchId),
      total: sql<number>`count(*) over ()`.mapWith(Number),
    })
    // This table comes first because PostgreSQL keeps the written order with this many joins.
    .from(known)
    .innerJoin(rules, eq(rules.id, ruleId))
    .innerJoin(twitchAccounts, and(eq(twitchId, known.twitchId), ne(twitchId, rules.channelId)))
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), ne(users.id, rules.ownerId)));
  const stored = joinStored(viewers, storedConditions, rules.channelId, twitchId);
  const rows = await joinCounted(stored, twitchId)
    .where(
      and(
        or(...storedConditions.map((condition) => and(asksInSql(condition), condition.begun))),
        place
          ? or(lt(viewerOrder, place[0]), and(eq(viewerOrder, place[0]), lt(twitchId, place[1])))
          : undefined,
      ),
    )
    .orderBy(desc(viewerOrder), desc(twitchId))
    .limit(size + 1);
  const page = pageOf(rows, size, (row) => [row.order, row.twitchId]);
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

/** Who has not met the rule, and of whom anything is stored that it asks for: only these can have come nearer to it. */
function knownOnChannelOf({ read }: Database, ruleId: string) {
  const hasNotMet = (twitchId: SQLWrapper) =>
    notExists(read.select({ one: sql`1` }).from(qualifications).where(onRule(qualifications, twitchId)));
  const [first, ...others] = storedConditions.map((condition) => {
    const source = condition.table as typeof watchTimes;
    return read
      .select({ twitchId: source.twitchId })
      .from(rules)
      .innerJoin(source, eq(source.channelId, rules.channelId))
      .where(and(eq(rules.id, ruleId), asksInSql(condition), hasNotMet(source.twitchId)));
  });
  return others
    .reduce((all, each) => all.union(each) as typeof all, first as NonNullable<typeof first>)
    .as('known');
}
