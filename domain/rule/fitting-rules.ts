import { and, asc, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';

type Rule = typeof rules.$inferSelect;

/** Lists a streamer's rules that are not closed, in the order in which they were created. */
export const listLiveRules = (q: Reader, ownerId: string): Promise<Rule[]> =>
  q
    .select()
    .from(rules)
    .where(and(eq(rules.ownerId, ownerId), within(rules.state, liveRuleStates)))
    .orderBy(asc(rules.id));

/**
 * Returns the ids of the rules that a streamer's plan allows: the oldest. A rule that is paused for any
 * reason keeps its place; a rule on another channel takes none if the plan does not include those.
 */
export async function fittingRules(q: Reader, ownerId: string, nowMs: number): Promise<Set<string>> {
  const live = await listLiveRules(q, ownerId);
  const own = await findChannelOf(q, ownerId);
  const limits = await limitsOf(q, ownerId, nowMs);
  const allowed = live.filter(({ channelId }) => limits.otherChannels || own === null || channelId === own);
  return new Set(allowed.slice(0, limits.rules).map(({ id }) => id));
}
