import { and, desc, eq, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { liveRuleStates, type RuleType, rules } from '#db/schema/rule.ts';
import { isRefused } from '#domain/condition/channel-points.ts';
import { type Conditions, conditionColumns } from '#domain/condition/conditions.ts';
import { countsFromMs } from '#domain/condition/counts-from.ts';
import { countPreparing, emptyPool, type PoolAmounts, poolsOf, waitingFor } from '#domain/rule/list-rules.ts';

/** A rule that is open, or that its owner has paused, as anybody may see it. */
export interface PublicRule extends Conditions {
  id: string;
  name: string;
  type: RuleType;
  /** The owner's pause and when it ends by itself, null if it does not; null while the rule is open. */
  pause: { resumesAtMs: number | null } | null;
  claimTimeoutHours: number;
  /** For how long after the promise nothing is sent. */
  sendDelayHours: number;
  createdAtMs: number;
  /** See `countsFromMs`. */
  countsFromMs: number | null;
  /** True while Twitch refuses its custom reward, so that nobody can redeem it. */
  pointsRefused: boolean;
  pool: PoolAmounts;
  /** Number of reserved rewards without an offer on Steam yet. */
  preparing: number;
  /** Viewers who met the rule and wait for a free reward. */
  waiting: number;
}

/** At most this many rules of a channel are shown, the newest ones. */
const MAX_RULES = 50;

/**
 * Lists a channel's rules that are open or paused by their owner, newest first, or with an id that rule alone, if it is
 * one of them.
 */
export async function listPublicRules(
  db: Database,
  channelId: string,
  { ruleId }: { ruleId?: string } = {},
): Promise<PublicRule[]> {
  const open = await db.read
    .select({
      id: rules.id,
      name: rules.name,
      type: rules.type,
      ...conditionColumns,
      claimTimeoutHours: rules.claimTimeoutHours,
      sendDelayHours: rules.sendDelayHours,
      createdAtMs: rules.createdAtMs,
      countsFromMs: countsFromMs(db.read),
      pointsRefused: isRefused(),
      state: rules.state,
      resumesAtMs: rules.resumesAtMs,
    })
    .from(rules)
    .where(
      and(
        eq(rules.channelId, channelId),
        within(rules.state, liveRuleStates),
        or(is(rules.state, 'open'), is(rules.pauseReason, 'owner')),
        ruleId === undefined ? undefined : eq(rules.id, ruleId),
      ),
    )
    .orderBy(desc(rules.id))
    .limit(MAX_RULES);
  const ids = open.map(({ id }) => id);
  const [pools, preparing, waiting] = await Promise.all([
    poolsOf(db, ids),
    countPreparing(db, ids),
    waitingFor(db, ids),
  ]);
  return open.map(({ state, resumesAtMs, ...rule }) => ({
    ...rule,
    pause: state === 'open' ? null : { resumesAtMs },
    pool: pools.get(rule.id) ?? emptyPool(),
    preparing: preparing.get(rule.id) ?? 0,
    waiting: waiting.get(rule.id) ?? 0,
  }));
}
