import { and, asc, count, desc, eq, inArray, isNull, lt, type SQL, sql, sum } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { endedRewards, liveRewardStates, type RewardState, rewards } from '#db/schema/reward.ts';
import { liveRuleStates, qualifications, type RuleState, rules } from '#db/schema/rule.ts';
import { preparingTransferStates, transfers } from '#db/schema/transfer.ts';
import { beyond, contains } from '#db/search.ts';
import { statement } from '#db/statement.ts';
import {
  type Conditions,
  conditionColumns,
  type OwnerFacts,
  ownerFacts,
} from '#domain/condition/conditions.ts';
import { countsFromMs } from '#domain/condition/counts-from.ts';
import { asOwned, type Owned } from '#domain/kernel/owned.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import { isServed } from '#domain/rule/is-served.ts';
import { ofNoRaffle } from '#domain/rule/of-no-raffle.ts';

/** A rule's number of rewards by state. */
export type PoolAmounts = Record<RewardState, number>;

export interface ListedRule extends Conditions, OwnerFacts {
  id: string;
  name: string;
  type: (typeof rules.$inferSelect)['type'];
  state: RuleState;
  pauseReason: (typeof rules.$inferSelect)['pauseReason'];
  /** Time at which its owner paused it; null if they did not. See `pauseRule`. */
  pausedAtMs: number | null;
  /** Time at which the owner's pause ends by itself; null if it does not. */
  resumesAtMs: number | null;
  /** Since when it is frozen, whatever its state: it gives nothing until its owner ends the freeze. */
  frozenAtMs: number | null;
  claimTimeoutHours: number;
  /** Hours by which the sending of its rewards is held back after the promise. */
  sendDelayHours: number;
  /** The rule whose place it took; null if it took none. */
  succeedsId: string | null;
  createdAtMs: number;
  /** See `countsFromMs`. */
  countsFromMs: number | null;
  closedAtMs: number | null;
  channelId: string;
  channelName: string;
  pool: PoolAmounts;
  /** Number of reserved rewards that have no offer on Steam yet. */
  preparing: number;
  /** Viewers who met the rule and wait for a free reward. */
  waiting: number;
}

const ruleFacts = (q: Reader) => ({
  id: rules.id,
  name: rules.name,
  type: rules.type,
  state: rules.state,
  pauseReason: rules.pauseReason,
  pausedAtMs: rules.pausedAtMs,
  resumesAtMs: rules.resumesAtMs,
  frozenAtMs: rules.frozenAtMs,
  ...conditionColumns,
  claimTimeoutHours: rules.claimTimeoutHours,
  sendDelayHours: rules.sendDelayHours,
  succeedsId: rules.succeedsId,
  createdAtMs: rules.createdAtMs,
  countsFromMs: countsFromMs(q),
  closedAtMs: rules.closedAtMs,
  channelId: rules.channelId,
  channelName: channels.displayName,
  ...ownerFacts,
});

export const ruleOrders = ['newest', 'name', 'free'] as const;
export type RuleOrder = (typeof ruleOrders)[number];

/** Counts the free rewards of a rule, in a query over rules. */
const freeRewardsOf = ({ read }: Database): SQL =>
  sql`(${read
    .select({ free: count() })
    .from(rewards)
    .where(and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')))})`;

/** Returns the columns that come before the id in each order, and the cursor's position among them. */
function orderOf(db: Database, order: RuleOrder, after: string | null | undefined) {
  if (order === 'newest') {
    const place = decodeCursor(after, ['text']);
    return { key: sql`0`, by: [desc(rules.id)], past: place ? lt(rules.id, place[0]) : undefined };
  }
  const key = order === 'name' ? sql`lower(${rules.name})` : freeRewardsOf(db);
  const place = decodeCursor(after, [order === 'name' ? 'text' : 'number', 'text']);
  return {
    key,
    by: [asc(key), asc(rules.id)],
    past: place ? beyond([key, rules.id], '>', place as [string | number, string]) : undefined,
  };
}

/** Lists a streamer's rules with their pools: newest first, by name, or those with the fewest free rewards first. */
export async function listRules(
  db: Database,
  asked: {
    ownerId: string;
    search?: string | undefined;
    states?: readonly RuleState[] | undefined;
    /** Restricts the list to these. */
    ids?: readonly string[] | undefined;
    order?: RuleOrder;
    after?: string | null;
    size?: number;
  },
): Promise<Page<Owned<ListedRule>>> {
  const { size = PAGE_SIZE, order = 'newest' } = asked;
  if (asked.ids?.length === 0) return { rows: [], next: null };
  const { key, by, past } = orderOf(db, order, asked.after);
  const sorted = await db.read
    .select({ rule: ruleFacts(db.read), key: key.mapWith(order === 'name' ? String : Number) })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(
      and(
        eq(rules.ownerId, asked.ownerId),
        ofNoRaffle(db.read),
        asked.states ? within(rules.state, asked.states) : undefined,
        asked.search ? contains(rules.name, asked.search) : undefined,
        asked.ids ? inArray(rules.id, [...asked.ids]) : undefined,
        past,
      ),
    )
    .orderBy(...by)
    .limit(size + 1);
  const { rows: shown, next } = pageOf(sorted, size, (row) =>
    order === 'newest' ? [row.rule.id] : [row.key, row.rule.id],
  );
  const rows = shown.map(({ rule }) => rule);
  const ids = rows.map((row) => row.id);
  const [pools, preparing, waiting] = await Promise.all([
    poolsOf(db, ids),
    countPreparing(db, ids),
    waitingFor(db, ids),
  ]);
  return {
    next,
    rows: rows.map((row) =>
      asOwned({
        ...row,
        pool: pools.get(row.id) ?? emptyPool(),
        preparing: preparing.get(row.id) ?? 0,
        waiting: waiting.get(row.id) ?? 0,
      }),
    ),
  };
}

/** More rules than a streamer would choose from by name. */
const MAX_NAMES = 200;

/** Lists the names of a streamer's newest rules, or of those alone that are not closed. */
export async function listRuleNames(
  { read }: Database,
  { ownerId, isLive = false }: { ownerId: string; isLive?: boolean },
): Promise<{ id: string; name: string }[]> {
  const own = eq(rules.ownerId, ownerId);
  return read
    .select({ id: rules.id, name: rules.name })
    .from(rules)
    .where(isLive ? and(own, within(rules.state, liveRuleStates)) : own)
    .orderBy(desc(rules.id))
    .limit(MAX_NAMES);
}

/** Returns one of the streamer's own rules with its pool; null if there is none, or it holds the items of a raffle. */
export async function getRule(
  db: Database,
  { ruleId, ownerId }: { ruleId: string; ownerId: string },
): Promise<Owned<ListedRule> | null> {
  const [row] = await db.read
    .select(ruleFacts(db.read))
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(and(eq(rules.id, ruleId), eq(rules.ownerId, ownerId), ofNoRaffle(db.read)));
  if (!row) return null;
  const [pools, preparing, waiting] = await Promise.all([
    poolsOf(db, [ruleId]),
    countPreparing(db, [ruleId]),
    waitingFor(db, [ruleId]),
  ]);
  return asOwned({
    ...row,
    pool: pools.get(ruleId) ?? emptyPool(),
    preparing: preparing.get(ruleId) ?? 0,
    waiting: waiting.get(ruleId) ?? 0,
  });
}

export const emptyPool = (): PoolAmounts => ({ free: 0, promised: 0, reserved: 0, claimed: 0, recalled: 0 });

const readLive = statement('live_pools', (q) =>
  q
    .select({ ruleId: rewards.ruleId, state: rewards.state, amount: count() })
    .from(rewards)
    .where(and(isAmong(rewards.ruleId, sql.placeholder('ruleIds')), within(rewards.state, liveRewardStates)))
    .groupBy(rewards.ruleId, rewards.state),
);

const readEnded = statement('ended_pools', (q) =>
  q
    .select({
      ruleId: endedRewards.ruleId,
      claimed: sum(endedRewards.claimed).mapWith(Number),
      recalled: sum(endedRewards.recalled).mapWith(Number),
    })
    .from(endedRewards)
    .where(isAmong(endedRewards.ruleId, sql.placeholder('ruleIds')))
    .groupBy(endedRewards.ruleId),
);

/**
 * Returns the pools of these rules, without those that never had a reward. Ended rewards were counted as they
 * ended.
 */
export async function poolsOf(db: Database, ruleIds: readonly string[]): Promise<Map<string, PoolAmounts>> {
  if (ruleIds.length === 0) return new Map();
  const ids = { ruleIds: JSON.stringify(ruleIds) };
  const [live, ended] = [await readLive(db.read, ids), await readEnded(db.read, ids)];
  const pools = new Map(ended.map(({ ruleId, ...amounts }) => [ruleId, { ...emptyPool(), ...amounts }]));
  for (const { ruleId, state, amount } of live)
    pools.set(ruleId, { ...(pools.get(ruleId) ?? emptyPool()), [state]: amount });
  return pools;
}

/** Counts the free rewards of these rules. */
export async function countFree(db: Database, ruleIds: readonly string[]): Promise<Map<string, number>> {
  if (ruleIds.length === 0) return new Map();
  const rows = await db.read
    .select({ ruleId: rewards.ruleId, free: count() })
    .from(rewards)
    .where(and(inArray(rewards.ruleId, [...ruleIds]), is(rewards.state, 'free')))
    .groupBy(rewards.ruleId);
  return new Map(rows.map(({ ruleId, free }) => [ruleId, free]));
}

/**
 * Counts the reserved rewards without an offer on Steam. Only reserved rewards are read, so that a rule's
 * history does not matter.
 */
export async function countPreparing(db: Database, ruleIds: readonly string[]): Promise<Map<string, number>> {
  if (ruleIds.length === 0) return new Map();
  const rows = await db.read
    .select({ ruleId: rewards.ruleId, preparing: count() })
    .from(rewards)
    .innerJoin(
      transfers,
      and(eq(transfers.rewardId, rewards.id), within(transfers.state, preparingTransferStates)),
    )
    .where(and(inArray(rewards.ruleId, [...ruleIds]), is(rewards.state, 'reserved')))
    .groupBy(rewards.ruleId);
  return new Map(rows.map((row) => [row.ruleId, row.preparing]));
}

/**
 * Counts the waiting viewers of these rules. Joined with the rules, because otherwise SQLite uses the primary
 * key, which contains everybody who ever met them.
 */
export async function waitingFor(db: Database, ruleIds: readonly string[]): Promise<Map<string, number>> {
  if (ruleIds.length === 0) return new Map();
  const rows = await db.read
    .select({ ruleId: rules.id, waiting: count() })
    .from(rules)
    .innerJoin(
      qualifications,
      and(
        eq(qualifications.ruleId, rules.id),
        isNull(qualifications.promisedAtMs),
        isServed(db.read, qualifications),
      ),
    )
    .where(inArray(rules.id, [...ruleIds]))
    .groupBy(rules.id);
  return new Map(rows.map((row) => [row.ruleId, row.waiting]));
}
