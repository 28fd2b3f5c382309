import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { sendingStops } from '#db/schema/sending-stop.ts';
import { openOutage } from '#domain/bot/open-outages.ts';
import { newId } from '#domain/kernel/id.ts';
import { sendingLock } from '#domain/kernel/locks.ts';
import { findSendingStop } from './find-sending-stop.ts';

interface Times {
  /** Domain time. */
  nowMs: number;
  systemMs: number;
}

/**
 * Stops all bots from sending another offer until `resumeSending`: transfers stay queued, and promises do not
 * run out. Offers on Steam stay open, and one that a bot is sending at this moment may still arrive there.
 * Records who did it; a second stop changes nothing. Returns whether this one did.
 */
export async function stopSending(
  db: Database,
  { operatorId }: { operatorId: string },
  { nowMs, systemMs }: Times,
): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      if (await findSendingStop(tx)) return false;
      await tx.insert(sendingStops).values({
        id: newId(nowMs),
        stoppedAtMs: nowMs,
        stoppedSystemMs: systemMs,
        stoppedBy: operatorId,
      });
      return true;
    },
    { lock: sendingLock },
  );
}

/**
 * Lets bots send again, and records the length of the stop. `extendClaimWindows` extends the claim windows by
 * it, as after an outage; if no bot was alive meanwhile, viewers get that time twice rather than not at all.
 * Records who did it. Returns whether there was a stop.
 */
export async function resumeSending(
  db: Database,
  { operatorId }: { operatorId: string },
  { nowMs, systemMs }: Times,
): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const stop = await findSendingStop(tx);
      if (!stop) return false;
      await tx
        .update(sendingStops)
        .set({ resumedAtMs: nowMs, resumedBy: operatorId })
        .where(eq(sendingStops.id, stop.id));
      await openOutage(tx, Math.max(0, systemMs - stop.stoppedSystemMs), nowMs);
      return true;
    },
    { lock: sendingLock },
  );
}
