import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { isAmong, lookedUp, rowsOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { scheduleNextChecks } from '#domain/condition/next-check.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { serveInRounds } from '#domain/reward/serve-waiting.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { enlist, findNewcomers, type Qualified, qualifyDue } from '#domain/rule/qualify.ts';
import { whoIsDue } from '#domain/watch-time/watched.ts';

/** Maximum number of viewers evaluated in one transaction, of a tick or after it. */
const AT_ONCE = 2000;

/** A viewer who passed a threshold on a channel. */
interface Due {
  channelId: string;
  twitchId: string;
  /** True if the viewer has an account here; nobody else can meet a rule. */
  isRegistered: boolean;
}

const readDue = statement('watch_due', (tx) => {
  const isDueThere = sql`${watchTimes.channelId} = clocks.channel and ${watchTimes.crossAt} <= clocks.counted`;
  // A value rather than `exists`, for which PostgreSQL would read all accounts.
  const account = tx
    .select({ id: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, watchTimes.twitchId));
  return tx
    .select({
      // As expressions, because drizzle does not see that the table is joined.
      channelId: sql<string>`${watchTimes.channelId}`,
      twitchId: sql<string>`${watchTimes.twitchId}`,
      isRegistered: sql`(${account}) is not null`.mapWith(Boolean),
    })
    .from(rowsOf(sql.placeholder('clocks'), { channel: 'text', counted: 'bigint' }, 'clocks'))
    .crossJoin(lookedUp(watchTimes, isDueThere))
    .where(isDueThere)
    .limit(AT_ONCE + 1);
});

/** A channel and its clock, up to which those who are due are looked for. */
export interface Clock {
  channelId: string;
  counted: number;
}

const dueBy = async (tx: Tx, clocks: readonly Clock[]): Promise<Due[]> =>
  readDue(tx, { clocks: JSON.stringify(clocks.map(({ channelId, counted }) => [channelId, counted])) });

const nobody: Qualified = { qualified: 0, left: [] };

/**
 * Evaluates viewers of a channel who passed a threshold, schedules their next check and serves them for one
 * round. Returns `many` and does nothing when there are too many for one transaction; `evaluateManyDue`
 * evaluates them after the commit.
 */
export async function evaluateDue(tx: ChannelTx, clock: Clock, nowMs: number): Promise<Qualified | 'many'> {
  const { channelId } = clock;
  const due = await dueBy(tx, [clock]);
  if (due.length === 0) return nobody;
  if (due.length > AT_ONCE) return 'many';
  const twitchIds = due.filter((each) => each.isRegistered).map(({ twitchId }) => twitchId);
  const qualified = twitchIds.length === 0 ? nobody : await qualifyDue(tx, { channelId, twitchIds }, nowMs);
  await scheduleNextChecks(tx, due);
  return qualified;
}

/**
 * Schedules the next checks of those who are due on these channels and can meet no rule. Returns the channels on which
 * somebody is left to be evaluated.
 */
export async function passOverDue(tx: ChannelTx, clocks: readonly Clock[]): Promise<Set<string>> {
  const due = await dueBy(tx, clocks);
  if (due.length > AT_ONCE) return new Set(clocks.map(({ channelId }) => channelId));
  const left = new Set(due.filter((each) => each.isRegistered).map(({ channelId }) => channelId));
  const passed = due.filter(({ channelId }) => !left.has(channelId));
  if (passed.length > 0) await scheduleNextChecks(tx, passed);
  return left;
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
  const due = await whoIsDue(tx, channelId).limit(size);
  const twitchIds = due.map(({ twitchId }) => twitchId);
  const among = isAmong(twitchAccounts.twitchId, twitchIds);
  const found = await findNewcomers(tx, { rules: eq(rules.channelId, channelId), among }, nowMs);
  await enlist(tx, found, nowMs);
  await scheduleNextChecks(
    tx,
    twitchIds.map((twitchId) => ({ channelId, twitchId })),
  );
  return { ruleIds: found.map(({ ruleId }) => ruleId), isMore: due.length === size };
}
