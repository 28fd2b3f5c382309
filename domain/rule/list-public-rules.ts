import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { type RuleType, rules } from '#db/schema/rule.ts';
import { isRefused } from '#domain/condition/channel-points.ts';
import { type Conditions, conditionColumns } from '#domain/condition/conditions.ts';
import { countPreparing, emptyPool, type PoolAmounts, poolsOf, waitingFor } from '#domain/rule/list-rules.ts';

/** An open rule as anybody may see it. */
export interface PublicRule extends Conditions {
  id: string;
  name: string;
  type: RuleType;
  claimTimeoutHours: number;
  /** For how long after the promise nothing is sent. */
  sendDelayHours: number;
  createdAtMs: number;
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

/** Lists a channel's open rules, newest first, or with an id that rule alone, if it is one of them. */
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
      pointsRefused: isRefused(),
    })
    .from(rules)
    .where(
      and(
        eq(rules.channelId, channelId),
        is(rules.state, 'open'),
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
  return open.map((rule) => ({
    ...rule,
    pool: pools.get(rule.id) ?? emptyPool(),
    preparing: preparing.get(rule.id) ?? 0,
    waiting: waiting.get(rule.id) ?? 0,
  }));
}
