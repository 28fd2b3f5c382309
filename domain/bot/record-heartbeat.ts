import { gt, inArray, max, type SQL } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { bots } from '#db/schema/bot.ts';
import { heartbeatLock } from '#domain/kernel/locks.ts';
import { openOutage } from './open-outages.ts';

/** Interval between heartbeats, and the silence after which a bot does not count as alive. System time. */
export const HEARTBEAT_INTERVAL_MS = 15_000;
export const SILENT_AFTER_MS = 60_000;

/** Matches bots that are alive, in a query over bots. */
export const isAlive = (systemMs: number): SQL => gt(bots.heartbeatAtMs, systemMs - SILENT_AFTER_MS);

/**
 * Records a ready bot's heartbeat. The first one after an outage records how long it lasted;
 * `extendClaimWindows` extends the claim windows by that time. Returns that length, 0 without an outage.
 * Silence is measured in system time so that moving the domain clock causes no outage; the outage is stored
 * at its domain time, to be shown with the windows.
 */
export async function recordHeartbeat(
  db: Database,
  botId: string,
  { systemMs, nowMs }: { systemMs: number; nowMs: number },
): Promise<number> {
  return db.transaction((tx) => recordHeartbeats(tx, [botId], { systemMs, nowMs }), {
    lock: heartbeatLock,
    quiet: true,
  });
}

/** Like `recordHeartbeat` for several bots, in a transaction that holds `heartbeatLock`. */
export async function recordHeartbeats(
  tx: Tx,
  botIds: readonly string[],
  { systemMs, nowMs }: { systemMs: number; nowMs: number },
): Promise<number> {
  if (botIds.length === 0) return 0;
  const [newest] = await tx.select({ atMs: max(bots.heartbeatAtMs) }).from(bots);
  const outageMs = outageSince(Number(newest?.atMs ?? 0), systemMs);
  if (outageMs > 0) await openOutage(tx, outageMs, nowMs);
  await tx
    .update(bots)
    .set({ heartbeatAtMs: systemMs })
    .where(inArray(bots.id, [...botIds]));
  return outageMs;
}

/**
 * Returns the length of the current silence of all bots if it is an outage, otherwise 0. An instance whose
 * bots never sent a heartbeat has none.
 */
export const outageSince = (lastHeartbeatMs: number, systemMs: number): number =>
  lastHeartbeatMs > 0 && systemMs - lastHeartbeatMs > SILENT_AFTER_MS ? systemMs - lastHeartbeatMs : 0;
