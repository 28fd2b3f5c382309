import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';

/** Milliseconds until the next claim window of a rule that is not frozen ends; null if there is none. */
export async function nextPromiseEndMs(q: Reader, nowMs: number): Promise<number | null> {
  const [next] = await q
    .select({ claimUntilMs: rewards.claimUntilMs })
    .from(rewards)
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), isNull(rules.frozenAtMs)))
    .where(and(within(rewards.state, pendingRewardStates), is(rewards.state, 'promised')))
    .orderBy(asc(rewards.claimUntilMs))
    .limit(1);
  return next?.claimUntilMs ? next.claimUntilMs - nowMs : null;
}
