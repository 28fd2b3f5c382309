import { and, lt, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { isAmong, lesser, within } from '#db/dialect.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { advanceOutage, listOpenOutages, type OpenOutage } from '#domain/bot/open-outages.ts';
import { heartbeatLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Windows extended in one transaction. */
const AT_ONCE = 2000;
const AT_LEAST = 200;

/**
 * Extends all open claim windows by each open outage, or by the part of it that followed the promise; windows
 * of claims in progress too. Works in short transactions that record their progress, so that after an
 * interruption the next call goes on there, and no window is extended twice. Nothing times out until all
 * outages are closed.
 */
export async function extendClaimWindows(db: Database, nowMs: number): Promise<void> {
  for (const { id, endedAtMs } of await listOpenOutages(db.read)) {
    const pending = await listPending(db, endedAtMs);
    const transaction = pacedTransactions(db, heartbeatLock, AT_ONCE, AT_LEAST);
    while (await transaction((tx, size) => extendSome(tx, { id, pending, size }, nowMs)));
  }
}

/**
 * Lists the rewards whose windows an outage extends. It is read once and without a lock, because later
 * promises are not affected.
 */
async function listPending({ read }: Database, endedAtMs: number): Promise<string[]> {
  const rows = await read
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(within(rewards.state, pendingRewardStates), lt(rewards.promisedAtMs, endedAtMs)));
  return rows.map(({ id }) => id).sort();
}

/**
 * Extends one slice, and returns whether there is more to do. Another process may be working on the same
 * outage.
 */
async function extendSome(
  tx: Tx,
  { id, pending, size }: { id: string; pending: readonly string[]; size: number },
  nowMs: number,
): Promise<boolean> {
  const outage = (await listOpenOutages(tx)).find((open) => open.id === id);
  if (!outage) return false;
  const from = firstAfter(pending, outage.throughId);
  const some = pending.slice(from, from + size);
  const moved = await extend(tx, outage, some);
  const changed = moved.flatMap(({ id: subjectId, userId }) =>
    userId ? [{ userId, kind: 'reward.changed' as const, subjectId }] : [],
  );
  await announce(tx, changed, nowMs);
  const isMore = from + some.length < pending.length;
  await advanceOutage(tx, outage, (isMore && some.at(-1)) || null);
  return isMore;
}

/**
 * Returns the index of the first of these sorted ids after `id`. There are many ids, and a slice has to be
 * short, so it is a binary search.
 */
function firstAfter(sorted: readonly string[], id: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') > id) high = middle;
    else low = middle + 1;
  }
  return low;
}

function extend(tx: Tx, { endedAtMs, lastedMs }: OpenOutage, rewardIds: readonly string[]) {
  const lostMs = lesser(lastedMs, sql`${endedAtMs} - ${rewards.promisedAtMs}`);
  return tx
    .update(rewards)
    .set({
      claimUntilMs: sql`${rewards.claimUntilMs} + ${lostMs}`,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${lostMs}`,
    })
    .where(
      and(
        isAmong(rewards.id, rewardIds),
        // Written as an expression to keep SQLite off the index of pending rewards, which it would read whole
        // for each slice.
        within(sql`${rewards.state} || ''`, pendingRewardStates),
        // The clock may have been set back since a promise was made.
        lt(rewards.promisedAtMs, endedAtMs),
      ),
    )
    .returning({ id: rewards.id, userId: rewards.userId });
}
