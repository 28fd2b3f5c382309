import {
  and,
  asc,
  desc,
  eq,
  exists,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels, type watchTimes } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, qualifications, type RuleState, type RuleType, rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { type ChannelSummary, channelSummaryColumns } from '#domain/channel/channel-summary.ts';
import { getStreamLengths } from '#domain/channel/get-stream-lengths.ts';
import {
  actConditions,
  type ConditionProgress,
  type Conditions,
  conditionColumns,
  conditionProgress,
  conditionsOf,
  countingsOf,
  joinCounted,
  joinStored,
  measuredConditions,
  nearness,
  startsAtZero,
  storedConditions,
  viewerFacts,
} from '#domain/condition/conditions.ts';
import { onRule } from '#domain/condition/viewer-joins.ts';
import { type KindChance, listChances } from '#domain/draw/list-chances.ts';
import { lineOf, lineOfRule } from '#domain/draw/rule-line.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import { type LastRedemption, listLastRedemptions } from '#domain/redemption/list-last-redemptions.ts';
import { poolsOf } from '#domain/rule/list-rules.ts';
import { findPlacesInLine, type PlaceInLine } from '#domain/view/list-waiting.ts';
import { type ChannelGap, listGaps, type WatchGap } from '#domain/watch-time/list-gaps.ts';
import { type Presence, readWatched } from '#domain/watch-time/read-presences.ts';

/** A viewer's statuses on a rule that has promised them nothing yet. */
export const progressStatuses = ['inProgress', 'outOfRewards', 'waiting', 'paused'] as const;
export type ProgressStatus = (typeof progressStatuses)[number];

export interface RuleProgress {
  ruleId: string;
  ruleName: string;
  ruleType: RuleType;
  ruleCreatedAtMs: number;
  asked: Conditions;
  claimTimeoutHours: number;
  status: ProgressStatus;
  /** The viewer's place on the waiting list; null unless they are waiting. */
  inLine: PlaceInLine | null;
  /** The reason why the rule is paused; null while open. */
  pauseReason: (typeof rules.$inferSelect)['pauseReason'];
  /** Time at which its owner's pause ends by itself; null if it does not. */
  resumesAtMs: number | null;
  channel: ChannelSummary;
  progress: ConditionProgress;
  /** All seconds ever watched on the channel, at the moment of `progress`. */
  watchedSeconds: number;
  freeRewards: number;
  /** True if it ever had a reward, including one that was recalled. */
  hadRewards: boolean;
  /** The next reward, as an example. */
  nextItem: { name: string; iconUrl: string; typeTag: string; rarityTag: string } | null;
  /** Draw chances by kind on a random rule with free rewards; otherwise empty. */
  chances: KindChance[];
  /** The viewer's latest redemption for the rule, or null. */
  redemption: LastRedemption | null;
  /** Seconds that the channel is usually live on a day with a stream; null if unknown. */
  streamSeconds: number | null;
  /** Gaps on the channel, for everybody or for this viewer alone, newest first. */
  gaps: WatchGap[];
  /** The viewer's part in the channel's chat; null unless the channel is live and the rule counts time in it. */
  presence: Presence | null;
  /** True if they have attended the channel's running stream. */
  attended: boolean;
}

/**
 * Lists rules that are open or paused, on channels the viewer has watched or follows, and that have promised them nothing
 * yet; closest to completion first. Excludes the user's own rules and channel, as rules do.
 */
export async function listProgress(
  db: Database,
  asked: {
    userId: string;
    status?: ProgressStatus | undefined;
    channelId?: string | undefined;
    after?: string | null;
    size?: number;
  },
  nowMs: number,
): Promise<Page<RuleProgress>> {
  const size = asked.size ?? PAGE_SIZE;
  const found = await selectRules(db, asked, size + 1);
  const { rows, next } = pageOf(found, size, (row) => [row.nearness, row.ruleId]);
  const ruleIds = rows.map((row) => row.ruleId);
  const channelIds = [...new Set(rows.map((row) => row.channel.id))];
  const waitingFor = rows.flatMap((row) => (row.qualifiedAtMs === null ? [] : [row.ruleId]));
  const [pools, nextItems, chances, redemptionsOf, places, gaps, streamLengths, watched] = await Promise.all([
    poolsOf(db, ruleIds),
    nextItemsOf(db, ruleIds),
    listChances(db, ruleIds, nowMs),
    listLastRedemptions(db, { userId: asked.userId, ruleIds }),
    findPlacesInLine(db, { userId: asked.userId, ruleIds: waitingFor }),
    listGaps(db, { userId: asked.userId, channelIds }, nowMs),
    getStreamLengths(db, channelIds, nowMs),
    readWatched(
      db.read,
      channelIds.map((channelId) => ({ userId: asked.userId, channelId })),
      nowMs,
    ),
  ]);
  const watchedOn = new Map(watched.map((each) => [each.channelId, each]));
  return {
    next,
    rows: rows.map(({ nearness: _, qualifiedAtMs, state, createdAtMs, ...row }) => {
      const freeRewards = pools.get(row.ruleId)?.free ?? 0;
      const progress = conditionProgress(row, row, nowMs);
      return {
        ruleId: row.ruleId,
        ruleName: row.ruleName,
        ruleType: row.ruleType,
        ruleCreatedAtMs: createdAtMs,
        asked: conditionsOf(row),
        claimTimeoutHours: row.claimTimeoutHours,
        status: statusOf({ paused: state === 'paused', qualified: qualifiedAtMs !== null, freeRewards }),
        inLine: places.get(row.ruleId) ?? null,
        pauseReason: row.pauseReason,
        resumesAtMs: row.resumesAtMs,
        channel: row.channel,
        progress,
        watchedSeconds: row.watchedSeconds,
        freeRewards,
        hadRewards: pools.has(row.ruleId),
        nextItem: nextItems.get(row.ruleId) ?? null,
        chances: chances.get(row.ruleId) ?? [],
        redemption: redemptionsOf.get(row.ruleId) ?? null,
        streamSeconds: streamLengths.get(row.channel.id) ?? null,
        gaps: countingsOf(row).length > 0 ? gapsFor(row, createdAtMs, gaps) : [],
        presence: (countingsOf(row).length > 0 && watchedOn.get(row.channel.id)?.presence) || null,
        attended: (watchedOn.get(row.channel.id)?.attendedFromSeconds ?? null) !== null,
      };
    }),
  };
}

function statusOf(facts: { paused: boolean; qualified: boolean; freeRewards: number }): ProgressStatus {
  if (facts.qualified) return 'waiting';
  if (facts.paused) return 'paused';
  return facts.freeRewards === 0 ? 'outOfRewards' : 'inProgress';
}

/** `statusOf` as an SQL condition. */
function isStatus(db: Database, status: ProgressStatus): SQL | undefined {
  const free = db.read
    .select({ one: sql`1` })
    .from(rewards)
    .where(and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')));
  if (status === 'waiting') return isNotNull(qualifications.qualifiedAtMs);
  if (status === 'paused') return isNull(qualifications.qualifiedAtMs);
  const hasFree = status === 'inProgress' ? exists(free) : notExists(free);
  return and(isNull(qualifications.qualifiedAtMs), hasFree);
}

/** The rule states a status can have. */
const statesOf = (status?: ProgressStatus): readonly RuleState[] => {
  if (status === undefined || status === 'waiting') return liveRuleStates;
  return status === 'paused' ? ['paused'] : ['open'];
};

const selectRules = (
  db: Database,
  { userId, after, status, channelId }: Parameters<typeof listProgress>[1],
  limit: number,
) => {
  const { twitchId } = twitchAccounts;
  const found = db.read
    .select({
      ruleId: rules.id,
      ruleName: rules.name,
      ruleType: rules.type,
      state: rules.state,
      pauseReason: rules.pauseReason,
      resumesAtMs: rules.resumesAtMs,
      createdAtMs: rules.createdAtMs,
      ...conditionColumns,
      claimTimeoutHours: rules.claimTimeoutHours,
      channel: channelSummaryColumns,
      ...viewerFacts(twitchId),
      qualifiedAtMs: qualifications.qualifiedAtMs,
      nearness: nearness.mapWith(Number),
    })
    .from(twitchAccounts)
    .innerJoin(rules, inArray(rules.id, rulesKnownTo(db, userId, statesOf(status))))
    .innerJoin(channels, eq(channels.id, rules.channelId));
  const stored = joinStored(found, measuredConditions, rules.channelId, twitchId);
  return joinCounted(stored, twitchId)
    .leftJoin(qualifications, onRule(qualifications, twitchId))
    .where(
      and(
        eq(twitchAccounts.userId, userId),
        ne(rules.channelId, twitchId),
        ne(rules.ownerId, userId),
        isNull(qualifications.promisedAtMs),
        or(isNull(rules.pauseReason), ne(rules.pauseReason, 'opening')),
        notExists(
          db.read
            .select({ one: sql`1` })
            .from(rewards)
            .where(and(eq(lineOf(rewards), lineOfRule(rules)), eq(rewards.twitchId, twitchId))),
        ),
        // Promised while another Twitch account was connected.
        notExists(
          db.read
            .select({ one: sql`1` })
            .from(rewards)
            .where(and(eq(lineOf(rewards), lineOfRule(rules)), eq(rewards.userId, userId))),
        ),
        status === undefined ? undefined : isStatus(db, status),
        channelId === undefined ? undefined : eq(rules.channelId, channelId),
        behind(after),
      ),
    )
    .orderBy(desc(nearness), desc(rules.id))
    .limit(limit);
};

const readAnyProgress = statement('any_progress', (q) => {
  const known = [...storedConditions, ...actConditions].map(
    ({ table }) =>
      sql`exists ${q
        .select({ one: sql`1` })
        .from(table as typeof watchTimes)
        .where(eq(table.twitchId, twitchAccounts.twitchId))}`,
  );
  return q
    .select({ any: sql<boolean>`${sql.join(known, sql` or `)}`.mapWith(Boolean) })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.userId, sql.placeholder('userId')));
});

/**
 * Returns whether anything is stored about the user that could be progress. If not, the list need not be
 * read.
 */
export async function hasAnyProgress({ read }: Database, asked: { userId: string }): Promise<boolean> {
  const [row] = await readAnyProgress(read, asked);
  return row?.any ?? false;
}

/**
 * Selects rules on channels that have stored anything about the user that a condition uses, and rules on
 * which they acted. SQLite joins in the written order: it starts from the user's rows, not from all rules.
 */
function rulesKnownTo({ read }: Database, userId: string, states: readonly RuleState[]) {
  const { twitchId } = twitchAccounts;
  const known = (table: KnownTable, ofTable: SQL) =>
    read
      .select({ id: rules.id })
      .from(twitchAccounts)
      .crossJoin(table as typeof watchTimes)
      .crossJoin(rules)
      .where(
        and(
          eq(twitchAccounts.userId, userId),
          eq(table.twitchId, twitchId),
          within(rules.state, states),
          ofTable,
        ),
      );
  const [first, ...others] = [
    ...storedConditions.map(({ table }) => known(table, eq(rules.channelId, table.channelId))),
    ...actConditions.map(({ table }) => known(table, eq(rules.id, table.ruleId))),
  ];
  return others.reduce((all, each) => all.unionAll(each) as typeof all, first as NonNullable<typeof first>);
}

type KnownTable = (typeof storedConditions | typeof actConditions)[number]['table'];

function behind(cursor: string | null | undefined): SQL | undefined {
  const place = decodeCursor(cursor, ['number', 'text']);
  if (!place) return undefined;
  const [reached, id] = place;
  return or(lt(nearness, reached), and(eq(nearness, reached), lt(rules.id, id)));
}

async function nextItemsOf(db: Database, ruleIds: readonly string[]) {
  if (ruleIds.length === 0) return new Map<string, NonNullable<RuleProgress['nextItem']>>();
  const first = db.read
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')))
    .orderBy(asc(rewards.position))
    .limit(1);
  const rows = await db.read
    .select({
      ruleId: rules.id,
      name: items.name,
      iconUrl: items.iconUrl,
      typeTag: items.typeTag,
      rarityTag: items.rarityTag,
    })
    .from(rules)
    .innerJoin(rewards, eq(rewards.id, first))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(inArray(rules.id, [...ruleIds]));
  return new Map(rows.map(({ ruleId, ...item }) => [ruleId, item]));
}

/** Excludes gaps before a rule that counts from its own start: its viewers lost nothing by them. */
function gapsFor(
  row: Conditions & { channel: { id: string } },
  createdAtMs: number,
  gaps: readonly ChannelGap[],
): WatchGap[] {
  return gaps
    .filter((gap) => gap.channelId === row.channel.id)
    .filter((gap) => !startsAtZero(row) || gap.untilMs > createdAtMs)
    .map(({ fromMs, untilMs, reason }) => ({ fromMs, untilMs, reason }));
}
