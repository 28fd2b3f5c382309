import { gt, inArray, max, type SQL, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { lesser, within } from '#db/dialect.ts';
import { bots, outages } from '#db/schema/bot.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { newId } from '#domain/id.ts';
import { heartbeatLock } from '#domain/locks.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Interval between heartbeats, and the silence after which a bot does not count as alive. System time. */
export const HEARTBEAT_INTERVAL_MS = 15_000;
export const SILENT_AFTER_MS = 60_000;

/** Whether a bot is alive, in a query over bots. */
export const isAlive = (systemMs: number): SQL => gt(bots.heartbeatAtMs, systemMs - SILENT_AFTER_MS);

/**
 * Records a ready bot's heartbeat. The first one after an outage extends every open claim window, including claims in
 * progress, by the length of the outage. Returns that length, 0 without an outage. Silence is measured in system time
 * so that moving the domain clock causes no outage; the outage is stored at its domain time, to be shown with the
 * windows.
 */
export async function recordHeartbeat(
  database: Database,
  botId: string,
  { systemMs, nowMs }: { systemMs: number; nowMs: number },
): Promise<number> {
  return database.transaction((tx) => recordHeartbeats(tx, [botId], { systemMs, nowMs }), {
    lock: heartbeatLock,
    quiet: true,
  });
}

/** The same for several bots, in a transaction that holds `heartbeatLock`. */
export async function recordHeartbeats(
  tx: Tx,
  botIds: readonly string[],
  { systemMs, nowMs }: { systemMs: number; nowMs: number },
): Promise<number> {
  if (botIds.length === 0) return 0;
  const [newest] = await tx.select({ atMs: max(bots.heartbeatAtMs) }).from(bots);
  const outageMs = outageSince(Number(newest?.atMs ?? 0), systemMs);
  if (outageMs > 0) await extendClaimWindows(tx, outageMs, nowMs);
  await tx
    .update(bots)
    .set({ heartbeatAtMs: systemMs })
    .where(inArray(bots.id, [...botIds]));
  return outageMs;
}

/** The length of the current silence of all bots, an outage. An instance whose bots never sent a heartbeat has none. */
export const outageSince = (lastHeartbeatMs: number, systemMs: number): number =>
  lastHeartbeatMs > 0 && systemMs - lastHeartbeatMs > SILENT_AFTER_MS ? systemMs - lastHeartbeatMs : 0;

/**
 * Records a period in which nobody could deliver, and extends every open claim window by its length, or by what has
 * passed since a promise that was made meanwhile.
 */
export async function extendClaimWindows(tx: Tx, outageMs: number, nowMs: number): Promise<void> {
  // The clock may have been set back since a promise was made.
  const sincePromised = sql`case when ${rewards.promisedAtMs} < ${nowMs} then ${nowMs} - ${rewards.promisedAtMs} else 0 end`;
  const lostMs = lesser(outageMs, sincePromised);
  await tx.insert(outages).values({ id: newId(nowMs), endedAtMs: nowMs, lastedMs: outageMs });
  const moved = await tx
    .update(rewards)
    .set({
      claimUntilMs: sql`${rewards.claimUntilMs} + ${lostMs}`,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${lostMs}`,
    })
    .where(within(rewards.state, pendingRewardStates))
    .returning({ id: rewards.id, userId: rewards.userId });
  await announce(
    tx,
    moved.flatMap(({ id, userId }) =>
      userId ? [{ userId, kind: 'reward.changed' as const, subjectId: id }] : [],
    ),
    nowMs,
  );
}
