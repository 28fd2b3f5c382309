import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import type { Counting } from '#domain/condition/condition.ts';
import { type Conditions, conditionsOf, countingsOf } from '#domain/condition/conditions.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { findLastViewer } from './last-viewer.ts';

/** Maximum number of viewers per transaction. */
const AT_ONCE = 10_000;

type Rule = typeof rules.$inferSelect;

/** Returns what would have to be counted from a correction on, because the rule does not count it. */
export const countedAnew = (rule: Conditions, wanted: Conditions): Counting[] =>
  countingsOf(wanted).filter((each) => each.startsAtZero(wanted) && !each.startsAtZero(rule));

/**
 * Begins to count for a rule what a correction will ask for anew, in short transactions before it. Nothing reads
 * these counts until the rule is corrected; if that never happens, the next correction begins again.
 */
export async function beginCounting(
  db: Database,
  { id: ruleId, channelId }: Pick<Rule, 'id' | 'channelId'>,
  wanted: Conditions,
): Promise<void> {
  const transaction = pacedTransactions(db, channelLock(channelId), AT_ONCE);
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after;
    after = await transaction((tx, size) => beginSome(tx, { ruleId, wanted, after: from, size }));
  }
}

/** Returns the last Twitch id of the slice; null at the end, or if the rule counts all of it by now. */
async function beginSome(
  tx: ChannelTx,
  { ruleId, wanted, after, size }: { ruleId: string; wanted: Conditions; after: string; size: number },
): Promise<string | null> {
  const [rule] = await tx.select().from(rules).where(eq(rules.id, ruleId));
  const anew = rule ? countedAnew(rule, wanted) : [];
  if (!rule || anew.length === 0) return null;
  const last = await findLastViewer(tx, { channelId: rule.channelId, after, size });
  for (const counting of anew)
    await counting.start(tx, { ...rule, ...conditionsOf(wanted) }, { after, last });
  return last;
}
