import { and, eq, gt, ne } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { hour } from '#domain/kernel/time.ts';

/** Whoever closes several rules closes this many freely in an hour. */
const FREE_CLOSINGS_PER_HOUR = 2;

type Closing = { ruleId: string; userId: string };

/** Whether closing this rule leaves its streamer none, and how many of theirs were closed within the last hour. */
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
    /** Whoever closes it has to prove who they are. */
    needsProof: isLast || (isLive && recent >= FREE_CLOSINGS_PER_HOUR),
    /** Their owner is mailed: once for many, and of the last one. */
    isReported: isLast || (isLive && recent === FREE_CLOSINGS_PER_HOUR),
  };
}

/** Whether closing this rule is part of closing all: it is the last of a streamer's, or the third within an hour. */
export const closesAllRules = async (q: Reader | Tx, closing: Closing, nowMs: number): Promise<boolean> =>
  (await closingOf(q, closing, nowMs)).needsProof;
