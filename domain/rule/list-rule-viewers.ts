import { and, count, desc, eq, inArray, lt, ne, notExists, or, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { watchTimes } from '#db/schema/channel.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { asksFor } from '#domain/condition/condition.ts';
import {
  type AnyStoredCondition,
  type ConditionProgress,
  closenessOf,
  conditionColumns,
  conditionProgress,
  joinCounted,
  joinStored,
  storedConditions,
  viewerFacts,
} from '#domain/condition/conditions.ts';
import { onRule } from '#domain/condition/viewer-joins.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import type { OwnedRule } from '#domain/rule/find-rule.ts';

export interface RuleViewer {
  twitchId: string;
  displayName: string;
  pictureUrl: string;
  progress: ConditionProgress;
}

/**
 * Lists registered viewers who have started a rule and not met it, those closest to meeting it first; the first page
 * also has the total.
 */
export async function listRuleViewers(
  db: Database,
  { id: ruleId }: OwnedRule,
  { after, size = PAGE_SIZE }: { after?: string | null; size?: number },
  nowMs: number,
): Promise<Page<RuleViewer> & { total: number | null }> {
  const { read } = db;
  const place = decodeCursor(after, ['number', 'text']);
  const started = await startedViewers(read, ruleId, nowMs);
  if (!started) return { rows: [], next: null, total: place ? null : 0 };
  const { order, twitchId } = started;
  const beyond = place && or(lt(order, place[0]), and(eq(order, place[0]), lt(twitchId, place[1])));
  const rows = await read
    .select({
      order,
      twitchId,
      total: place ? sql<number>`0` : sql<number>`count(*) over ()`.mapWith(Number),
    })
    .from(started)
    .where(beyond ?? undefined)
    .orderBy(desc(order), desc(twitchId))
    .limit(size + 1);
  const page = pageOf(rows, size, (row) => [row.order, row.twitchId]);
  return {
    next: page.next,
    total: place ? null : (rows[0]?.total ?? 0),
    rows: await withProgress(read, { ruleId, twitchIds: page.rows.map((row) => row.twitchId) }, nowMs),
  };
}

/** Counts the registered viewers who have started a rule and not met it. */
export async function countRuleViewers(read: Reader, { id: ruleId }: OwnedRule): Promise<number> {
  // Their order does not matter here.
  const started = await startedViewers(read, ruleId, 0);
  const [row] = started ? await read.select({ total: count() }).from(started) : [];
  return row?.total ?? 0;
}

/**
 * Selects the viewers who have started a rule. It may read all viewers of a channel, so it has only the
 * columns that decide their order, and joins only the stored data that the rule uses; the rest is read for
 * one page. Null if the rule has no condition on stored data.
 */
async function startedViewers(read: Reader, ruleId: string, nowMs: number) {
  const [rule] = await read.select(conditionColumns).from(rules).where(eq(rules.id, ruleId));
  const asked = rule ? storedConditions.filter((condition) => asksFor(rule, condition)) : [];
  if (asked.length === 0) return null;
  const { twitchId } = twitchAccounts;
  const known = knownOnChannelOf(read, ruleId, asked);
  const viewers = read
    .select({ twitchId, order: closenessOf(asked, nowMs).mapWith(Number).as('order') })
    // This table comes first because PostgreSQL keeps the written order with this many joins.
    .from(known)
    .innerJoin(rules, eq(rules.id, ruleId))
    .innerJoin(twitchAccounts, and(eq(twitchId, known.twitchId), ne(twitchId, rules.channelId)))
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), ne(users.id, rules.ownerId)));
  const needed = storedConditions.filter((each) => asked.includes(each) || 'counted' in each);
  return joinCounted(joinStored(viewers, needed, rules.channelId, twitchId), twitchId)
    .where(or(...asked.map(({ begun }) => begun)))
    .as('started');
}

/** Adds the viewers' progress, in the given order. */
async function withProgress(
  read: Reader,
  { ruleId, twitchIds }: { ruleId: string; twitchIds: readonly string[] },
  nowMs: number,
): Promise<RuleViewer[]> {
  if (twitchIds.length === 0) return [];
  const { twitchId, displayName, pictureUrl } = twitchAccounts;
  const rows = await read
    .select({ twitchId, displayName, pictureUrl, ...conditionColumns, ...viewerFacts(twitchId) })
    .from(rules)
    .innerJoin(twitchAccounts, inArray(twitchId, [...twitchIds]))
    .where(eq(rules.id, ruleId));
  const found = new Map(rows.map((row) => [row.twitchId, row]));
  return twitchIds.flatMap((id) => {
    const row = found.get(id);
    if (!row) return [];
    const { displayName, pictureUrl } = row;
    return [{ twitchId: id, displayName, pictureUrl, progress: conditionProgress(row, row, nowMs) }];
  });
}

/**
 * Selects viewers who have not met the rule and about whom anything is stored that it uses; nobody else can
 * have made progress.
 */
function knownOnChannelOf(read: Reader, ruleId: string, asked: readonly AnyStoredCondition[]) {
  const hasNotMet = (twitchId: SQLWrapper) =>
    notExists(read.select({ one: sql`1` }).from(qualifications).where(onRule(qualifications, twitchId)));
  const [first, ...others] = asked.map((condition) => {
    const source = condition.table as typeof watchTimes;
    return read
      .select({ twitchId: source.twitchId })
      .from(rules)
      .innerJoin(source, eq(source.channelId, rules.channelId))
      .where(and(eq(rules.id, ruleId), hasNotMet(source.twitchId)));
  });
  return others
    .reduce((all, each) => all.union(each) as typeof all, first as NonNullable<typeof first>)
    .as('known');
}
