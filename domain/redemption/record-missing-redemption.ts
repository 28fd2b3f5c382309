import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { advanceRedemption } from './advance-redemption.ts';
import type { LeasedRedemption } from './lease-redemptions.ts';
import { eventOfStatus, statusOfSettlement } from './redemption-machine.ts';

/** Looks are ten minutes apart in the end, so that these take hours. */
export const MAX_MISSED_POLLS = 36;

/**
 * Notes that Twitch answered and did not know a redemption: no trouble counts here. Twitch forgets redemptions some days
 * after their end, so one that was missed for long had the end that we wish for. True: that is believed from now on,
 * until Twitch speaks of it again.
 */
export async function recordMissingRedemption(
  database: Database,
  { id, channelId }: Pick<LeasedRedemption, 'id' | 'channelId'>,
  nowMs: number,
): Promise<boolean> {
  return database.transaction(
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
