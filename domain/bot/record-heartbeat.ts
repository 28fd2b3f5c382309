import { inArray, max, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { bots, outages } from '#db/schema/bot.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { newId } from '#domain/id.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Bots beat this often; longer silence of all of them is an outage. System time. */
export const HEARTBEAT_INTERVAL_MS = 15_000;
export const OUTAGE_AFTER_MS = 60_000;

/**
 * A ready bot's sign of life. The first one after an outage moves every open claim window, of claims under way too, by
 * as long as nothing could be delivered. Returns by how much, 0 when there was no outage. Silence is measured in system time, so that a moved domain
 * clock is no outage; that it happened is kept at its domain time, to be told with the windows.
 */
export async function recordHeartbeat(
  database: Database,
  botId: string,
  { systemMs, nowMs }: { systemMs: number; nowMs: number },
): Promise<number> {
  return database.transaction((tx) => recordHeartbeats(tx, [botId], { systemMs, nowMs }), {
    lock: HEARTBEAT_LOCK,
    quiet: true,
  });
}

/** Two first heartbeats after an outage must not move the windows twice. */
export const HEARTBEAT_LOCK = 'heartbeat';

/** The same for several bots, in a transaction that holds `HEARTBEAT_LOCK`. */
export async function recordHeartbeats(
  tx: Tx,
  botIds: readonly string[],
  { systemMs, nowMs }: { systemMs: number; nowMs: number },
): Promise<number> {
  if (botIds.length === 0) return 0;
  const [newest] = await tx.select({ atMs: max(bots.heartbeatAtMs) }).from(bots);
  const outageMs = outageSince(Number(newest?.atMs ?? 0), systemMs);
  if (outageMs > 0) await moveClaimWindows(tx, outageMs, nowMs);
  await tx
    .update(bots)
    .set({ heartbeatAtMs: systemMs })
    .where(inArray(bots.id, [...botIds]));
  return outageMs;
}

/** How long a silence has lasted that is too long to be none; an instance whose bots never gave a sign has no outage. */
export const outageSince = (lastHeartbeatMs: number, systemMs: number): number =>
  lastHeartbeatMs > 0 && systemMs - lastHeartbeatMs > OUTAGE_AFTER_MS ? systemMs - lastHeartbeatMs : 0;

async function moveClaimWindows(tx: Tx, outageMs: number, nowMs: number): Promise<void> {
  await tx.insert(outages).values({ id: newId(nowMs), endedAtMs: nowMs, lastedMs: outageMs });
  const moved = await tx
    .update(rewards)
    .set({
      claimUntilMs: sql`${rewards.claimUntilMs} + ${outageMs}`,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${outageMs}`,
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
