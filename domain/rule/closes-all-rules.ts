import { and, eq, gt, ne } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { hour } from '#domain/kernel/time.ts';

/** Number of rules that can be closed within an hour without further proof. */
const FREE_CLOSINGS_PER_HOUR = 2;

type Closing = { ruleId: string; userId: string };

/**
 * Returns what closing this rule demands: it depends on whether the streamer keeps any other, and on how many
 * of theirs were closed within the last hour.
 */
export async function closingOf(q: Reader | Tx, { ruleId, userId }: Closing, nowMs: number) {
  const own = eq(rules.ownerId, userId);
  const live = and(own, within(rules.state, liveRuleStates));
  const [isLive, others, recent] = [
    (await q.$count(rules, and(live, eq(rules.id, ruleId)))) > 0,
    await q.$count(rules, and(live, ne(rules.id, ruleId))),
    await q.$count(rules, and(own, gt(rules.closedAtMs, nowMs - hour))),
  ];
  const isLast = isLive && others === 0;
  return {
    /** True if the caller has to prove who they are. */
    needsProof: isLast || (isLive && recent >= FREE_CLOSINGS_PER_HOUR),
    /** True if the owner is mailed: once for many rules, and for the last one. */
    isReported: isLast || (isLive && recent === FREE_CLOSINGS_PER_HOUR),
  };
}

/**
 * Returns whether closing this rule is part of closing all of them: it is the streamer's last one, or the
 * third within an hour.
 */
export const closesAllRules = async (q: Reader | Tx, closing: Closing, nowMs: number): Promise<boolean> =>
  (await closingOf(q, closing, nowMs)).needsProof;
