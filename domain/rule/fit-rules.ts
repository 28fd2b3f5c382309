import { and, eq } from 'drizzle-orm';
import { type Database, holdLock, type Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { lockChannels, rulesLock } from '#domain/kernel/locks.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { pauseWith, resumeRule } from '#domain/rule/pause-rules.ts';
import { fittingRules, listLiveRules } from './fitting-rules.ts';

/** The number of rules that a change of the plan paused and resumed. */
export interface Fitted {
  paused: number;
  resumed: number;
}

/**
 * Fits a streamer's rules to the plan: rules over the limit pause, newest first, and resume when there is
 * room again, oldest first. Promises stay valid; nothing is deleted. Rules that pause for another reason keep
 * their place.
 */
export async function fitRules(db: Database, userId: string, nowMs: number): Promise<Fitted> {
  const decide = (tx: Tx) => fitUnderLocks(tx, userId, nowMs);
  const { paused, resumed } = await db.transaction(decide);
  await evaluateRules(db, resumed, nowMs);
  return { paused, resumed: resumed.length };
}

async function fitUnderLocks(
  tx: Tx,
  userId: string,
  nowMs: number,
): Promise<{ paused: number; resumed: string[] }> {
  const before = await listLiveRules(tx, userId);
  if (before.length === 0) return { paused: 0, resumed: [] };
  const held = await lockChannels(
    tx,
    before.map(({ channelId }) => channelId),
  );
  await holdLock(tx, rulesLock(userId));
  // Read again under the locks. A rule created meanwhile was checked against the limit when it was created.
  const locked = new Set(before.map(({ channelId }) => channelId));
  const live = (await listLiveRules(tx, userId)).filter(({ channelId }) => locked.has(channelId));
  const allowed = await fittingRules(tx, userId, nowMs);
  let paused = 0;
  const resumed: string[] = [];
  for (const rule of live) {
    const fits = allowed.has(rule.id);
    if (!fits && (rule.state === 'open' || rule.pauseReason === 'owner')) {
      await pauseWith(held, rule, 'overLimit', nowMs);
      paused++;
    }
    if (!fits || rule.state !== 'paused' || rule.pauseReason !== 'overLimit') continue;
    if (await resumeRule(held, rule, nowMs)) resumed.push(rule.id);
  }
  return { paused, resumed };
}

/** Returns whether a user has rules that a larger plan, or room in this one, would resume. */
export async function hasRulesOverLimit({ read }: Database, userId: string): Promise<boolean> {
  const [one] = await read
    .select({ id: rules.id })
    .from(rules)
    .where(
      and(eq(rules.ownerId, userId), within(rules.state, liveRuleStates), is(rules.pauseReason, 'overLimit')),
    )
    .limit(1);
  return one !== undefined;
}
