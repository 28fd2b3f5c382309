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
 * Extends all open claim windows, also those of claims in progress, by each outage that is open: by its length, or by
 * what passed between the promise and its end. In short transactions, each of which records how far it came: if
 * interrupted, the next call goes on there, and no window is extended twice. Until an outage is closed nothing times
 * out.
 */
export async function extendClaimWindows(database: Database, nowMs: number): Promise<void> {
  for (const { id, endedAtMs } of await listOpenOutages(database.read)) {
    const pending = await listPending(database, endedAtMs);
    const transaction = pacedTransactions(database, heartbeatLock, AT_ONCE, AT_LEAST);
    while (await transaction((tx, size) => extendSome(tx, { id, pending, size }, nowMs)));
  }
}

/** Whose windows an outage extends: read once and without a lock, as later promises are no part of them. */
async function listPending({ read }: Database, endedAtMs: number): Promise<string[]> {
  const rows = await read
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(within(rewards.state, pendingRewardStates), lt(rewards.promisedAtMs, endedAtMs)));
  return rows.map(({ id }) => id).sort();
}

/** Returns whether there is more to do. Another process may be at the same outage. */
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

/** The place of the first of these sorted ids after `id`. They are many, and a slice has to be short. */
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
        // As an expression: by the index of pending rewards SQLite would go through all of them for each slice.
        within(sql`${rewards.state} || ''`, pendingRewardStates),
        // The clock may have been set back since a promise was made.
        lt(rewards.promisedAtMs, endedAtMs),
      ),
    )
    .returning({ id: rewards.id, userId: rewards.userId });
}
