import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { advanceRedemption } from './advance-redemption.ts';
import type { LeasedRedemption } from './lease-redemptions.ts';
import { eventOfStatus, statusOfSettlement } from './redemption-machine.ts';

/** Polls are up to ten minutes apart, so this many take hours. */
export const MAX_MISSED_POLLS = 36;

/**
 * Records that Twitch answered but did not know a redemption; failed requests do not count. Twitch drops
 * redemptions some days after they end, so after enough misses it is assumed to have ended in the way that we
 * had queued. That holds until Twitch reports the redemption again. Returns whether it is assumed.
 */
export async function recordMissingRedemption(
  db: Database,
  { id, channelId }: Pick<LeasedRedemption, 'id' | 'channelId'>,
  nowMs: number,
): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const [missed] = await tx
        .update(redemptions)
        .set({ missedPolls: sql`${redemptions.missedPolls} + 1` })
        .where(and(eq(redemptions.id, id), is(redemptions.state, 'open'), isNotNull(redemptions.settlement)))
        .returning({ missedPolls: redemptions.missedPolls, settlement: redemptions.settlement });
      if (!missed?.settlement || missed.missedPolls < MAX_MISSED_POLLS) return false;
      return advanceRedemption(tx, id, eventOfStatus[statusOfSettlement[missed.settlement]], nowMs);
    },
    { lock: channelLock(channelId) },
  );
}
