import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rules } from '#db/schema/rule.ts';
import { lowerRuleChecks } from '#domain/condition/next-check.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { findLastViewer } from './last-viewer.ts';

/** Maximum number of viewers per transaction. */
const AT_ONCE = 10_000;

/**
 * Lowers the next checks of a channel's viewers to what a rule asks for, in short transactions. Until it is
 * finished, viewers who reach the rule are found by the channel's hourly sweep.
 */
export async function lowerChecksOf(db: Database, ruleId: string): Promise<void> {
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  if (!rule || rule.watchMinutes === null) return;
  const transaction = pacedTransactions(db, channelLock(rule.channelId), AT_ONCE);
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after;
    after = await transaction((tx, size) => lowerSome(tx, ruleId, from, size));
  }
}

/** Returns the last Twitch id of the slice; null at the end. Reads the rule again: it may have been corrected. */
async function lowerSome(tx: ChannelTx, ruleId: string, after: string, size: number) {
  const [rule] = await tx.select().from(rules).where(eq(rules.id, ruleId));
  if (!rule) return null;
  const last = await findLastViewer(tx, { channelId: rule.channelId, after, size });
  await lowerRuleChecks(tx, rule, { after, last });
  return last;
}
