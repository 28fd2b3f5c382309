import { and, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { scheduleNextCheck, scheduleNextChecksOf } from '#domain/condition/next-check.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { enlist, findNewcomers, type Qualified, qualifyDue } from '#domain/rule/qualify.ts';

/** Maximum number of viewers evaluated in one transaction, of a tick or after it. */
const AT_ONCE = 2000;

const isDue = sql`${watchTimes.seconds} >= ${watchTimes.nextCheckSeconds}`;

const readDue = statement('watch_due', (tx) =>
  tx
    .select({ one: sql`1` })
    .from(watchTimes)
    .where(and(eq(watchTimes.channelId, sql.placeholder('channelId')), isDue))
    .limit(AT_ONCE + 1),
);

const nobody: Qualified = { qualified: 0, left: [] };

/**
 * Evaluates viewers of a channel who passed a threshold, schedules their next check and serves them for one
 * round. Returns `many` and does nothing when there are too many for one transaction; `evaluateManyDue`
 * evaluates them after the commit.
 */
export async function evaluateDue(
  tx: ChannelTx,
  channelId: string,
  nowMs: number,
): Promise<Qualified | 'many'> {
  const due = await readDue(tx, { channelId });
  if (due.length === 0) return nobody;
  if (due.length > AT_ONCE) return 'many';
  const qualified = await qualifyDue(tx, channelId, nowMs);
  await scheduleNextCheck(tx, channelId);
  return qualified;
}

/**
 * Like `evaluateDue` in short transactions, for many viewers. First a full sweep finds and serves them in
 * order. Then they are evaluated once more, a few at a time, in the transaction that schedules their next
 * check, because they may have watched on. If interrupted, they are still due at the next tick. Returns the
 * number of new qualifications.
 */
export async function evaluateManyDue(db: Database, channelId: string, nowMs: number): Promise<number> {
  let qualified = await evaluateChannel(db, channelId, nowMs);
  const transaction = pacedTransactions(db, channelLock(channelId), AT_ONCE);
  const toServe = new Set<string>();
  for (let isMore = true; isMore; ) {
    const done = await transaction((tx, size) => evaluateSome(tx, channelId, size, nowMs));
    qualified += done.ruleIds.length;
    for (const ruleId of done.ruleIds) toServe.add(ruleId);
    isMore = done.isMore;
  }
  await serveInRounds(db, channelId, [...toServe], nowMs);
  return qualified;
}

/**
 * Evaluates some viewers. Returns a rule id for each new qualification, and whether there may be more
 * viewers.
 */
async function evaluateSome(tx: ChannelTx, channelId: string, size: number, nowMs: number) {
  const twitchIds = await listDue(tx, channelId, size);
  const among = isAmong(twitchAccounts.twitchId, twitchIds);
  const found = await findNewcomers(tx, { rules: eq(rules.channelId, channelId), among }, nowMs);
  await enlist(tx, found, nowMs);
  await scheduleNextChecksOf(tx, channelId, twitchIds);
  return { ruleIds: found.map(({ ruleId }) => ruleId), isMore: twitchIds.length === size };
}

async function listDue(tx: Tx, channelId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .select({ twitchId: watchTimes.twitchId })
    .from(watchTimes)
    .where(and(eq(watchTimes.channelId, channelId), isDue))
    .limit(limit);
  return rows.map(({ twitchId }) => twitchId);
}
