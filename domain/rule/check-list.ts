import { and, asc, eq, isNotNull, isNull, ne, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { findLastPlace } from '#domain/rule/last-viewer.ts';
import { dropUnmet } from '#domain/rule/leave-list.ts';

/** Maximum number of places that are checked in one transaction. */
const AT_ONCE = 4000;

/** Matches rules whose waiting list is still to be checked, and is all there: one that is opening is still given places. */
export const isToCheck = and(
  isNotNull(rules.checkAfter),
  or(isNull(rules.pauseReason), ne(rules.pauseReason, 'opening')),
);

/**
 * Takes those who are known not to meet a rule that became harder off its list, for the rules of a channel, in short
 * transactions. Until then they promise nothing. If interrupted, the bot's next round goes on from where it stopped.
 * Returns the rules that can promise again; the caller evaluates them.
 */
export async function finishChecks(db: Database, channelId: string, nowMs: number): Promise<string[]> {
  const pending = await db.read
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.channelId, channelId), isToCheck))
    .orderBy(asc(rules.id));
  const transaction = pacedTransactions(db, channelLock(channelId), AT_ONCE);
  for (const { id } of pending)
    for (let isMore = true; isMore; )
      isMore = await transaction((tx, size) => checkFurther(tx, id, size, nowMs));
  return pending.map(({ id }) => id);
}

/** Checks the next slice of a rule's list, and returns whether there is more. Reads the rule again: it may have changed. */
async function checkFurther(tx: ChannelTx, ruleId: string, size: number, nowMs: number): Promise<boolean> {
  const [rule] = await tx
    .select()
    .from(rules)
    .where(and(eq(rules.id, ruleId), isToCheck));
  if (!rule) return false;
  const after = rule.checkAfter ?? '';
  const last = await findLastPlace(tx, { ruleId, after, size });
  await dropUnmet(tx, { rule, slice: { after, last } }, nowMs);
  await tx.update(rules).set({ checkAfter: last }).where(eq(rules.id, ruleId));
  return last !== null;
}
