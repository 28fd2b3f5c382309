import { and, asc, count, desc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { alias, is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { beyond } from '#db/search.ts';
import { type ChannelSummary, channelSummaryColumns } from '#domain/channel/channel-summary.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import type { OwnedRule } from '#domain/rule/find-rule.ts';
import { isServed } from '#domain/rule/is-served.ts';

export interface WaitingViewer {
  /** Counted from 1: this viewer is promised the next free reward. */
  place: number;
  twitchId: string;
  /** Null if no account has this Twitch account any more; then the place is skipped. */
  displayName: string | null;
  pictureUrl: string | null;
  qualifiedAtMs: number;
}

const order = [qualifications.qualifiedAtMs, qualifications.tieBreak, qualifications.twitchId] as const;

/** Lists a rule's waiting viewers, next in line first. */
export async function listWaiting(
  { read }: Database,
  { id: ruleId }: OwnedRule,
  { after, size = PAGE_SIZE }: { after?: string | null; size?: number } = {},
): Promise<Page<WaitingViewer>> {
  const at = decodeCursor(after, ['number', 'text', 'text', 'number']);
  const found = await read
    .select({
      twitchId: qualifications.twitchId,
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      qualifiedAtMs: qualifications.qualifiedAtMs,
      tieBreak: qualifications.tieBreak,
    })
    .from(qualifications)
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, qualifications.twitchId))
    .where(
      and(
        eq(qualifications.ruleId, ruleId),
        isNull(qualifications.promisedAtMs),
        isServed(read, qualifications),
        at ? beyond(order, '>', at.slice(0, 3)) : undefined,
      ),
    )
    .orderBy(...order.map((column) => asc(column)))
    .limit(size + 1);
  const before = at?.[3] ?? 0;
  const rows = found.map((row, index) => ({ ...row, place: before + index + 1 }));
  const page = pageOf(rows, size, (row) => [row.qualifiedAtMs, row.tieBreak, row.twitchId, row.place]);
  return { next: page.next, rows: page.rows.map(({ tieBreak: _, ...row }) => row) };
}

/** A viewer's place on a waiting list, and the length of the list. */
export interface PlaceInLine {
  place: number;
  waiting: number;
}

/** Finds the viewer's places on the waiting lists of these rules. */
export async function findPlacesInLine(
  { read }: Database,
  { userId, ruleIds }: { userId: string; ruleIds: readonly string[] },
): Promise<Map<string, PlaceInLine>> {
  if (ruleIds.length === 0) return new Map();
  const all = alias(qualifications, 'all_waiting');
  const before = sql`(${all.qualifiedAtMs}, ${all.tieBreak}, ${all.twitchId}) <= (${sql.join([...order], sql`, `)})`;
  const rows = await read
    .select({
      ruleId: qualifications.ruleId,
      place: sql<number>`count(case when ${before} then 1 end)`.mapWith(Number),
      waiting: count(),
    })
    .from(twitchAccounts)
    .innerJoin(
      qualifications,
      and(eq(qualifications.twitchId, twitchAccounts.twitchId), inArray(qualifications.ruleId, [...ruleIds])),
    )
    .innerJoin(all, and(eq(all.ruleId, qualifications.ruleId), isNull(all.promisedAtMs), isServed(read, all)))
    .where(
      and(
        eq(twitchAccounts.userId, userId),
        isNull(qualifications.promisedAtMs),
        isServed(read, qualifications),
      ),
    )
    .groupBy(qualifications.ruleId);
  return new Map(rows.map(({ ruleId, ...place }) => [ruleId, place]));
}

/** A rule that was deleted while the viewer was on its waiting list. */
export interface MissedRule {
  ruleId: string;
  ruleName: string;
  channel: ChannelSummary;
  closedAtMs: number;
}

/** Lists the rules that were deleted while the viewer waited, latest first. They are listed for 30 days. */
export async function listMissedRules(
  { read }: Database,
  { userId, size }: { userId: string; size: number },
): Promise<MissedRule[]> {
  return read
    .select({
      ruleId: rules.id,
      ruleName: rules.name,
      channel: channelSummaryColumns,
      closedAtMs: sql<number>`coalesce(${rules.closedAtMs}, 0)`.mapWith(Number),
    })
    .from(twitchAccounts)
    .innerJoin(qualifications, eq(qualifications.twitchId, twitchAccounts.twitchId))
    .innerJoin(rules, eq(rules.id, qualifications.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(
      and(
        eq(twitchAccounts.userId, userId),
        isNull(qualifications.promisedAtMs),
        is(rules.state, 'closed'),
        isNotNull(rules.closedAtMs),
      ),
    )
    .orderBy(desc(rules.closedAtMs), desc(rules.id))
    .limit(size);
}
