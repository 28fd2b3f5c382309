import { and, asc, inArray, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { customRewards, redemptions, type Settlement } from '#db/schema/redemption.ts';
import { isUnleased } from '#domain/kernel/lease.ts';
import { LONGEST_WAIT_MS } from '#domain/redemption/defer-redemptions.ts';
import { isSettling, ofConnectedAccount, ofCustomReward } from '#domain/redemption/settling.ts';

/** A settlement leased but not reported is leased again after this long. System time. */
export const REDEMPTION_LEASE_MS = 120_000;

/** A redemption to settle on Twitch. */
export interface LeasedRedemption {
  id: string;
  channelId: string;
  ruleId: string;
  twitchRewardId: string;
  settlement: Settlement;
  /** Includes this attempt. From the second on, an earlier attempt's answer may have been lost. */
  attempts: number;
}

/**
 * Leases due settlements to the caller, longest due first. Settlements on channels with a revoked grant wait until
 * the broadcaster reconnects.
 */
export async function leaseRedemptions(
  db: Database,
  limit: number,
  systemMs: number,
): Promise<LeasedRedemption[]> {
  return db.transaction(async (tx) => {
    const isDue = and(isSettling, isUnleased(redemptions.runAtMs, LONGEST_WAIT_MS, systemMs));
    const due = await tx
      .select({
        id: redemptions.id,
        channelId: customRewards.channelId,
        ruleId: customRewards.ruleId,
        twitchRewardId: customRewards.twitchRewardId,
      })
      .from(redemptions)
      .innerJoin(customRewards, ofCustomReward)
      .innerJoin(twitchAccounts, ofConnectedAccount)
      .where(isDue)
      .orderBy(asc(redemptions.runAtMs), asc(redemptions.id))
      .limit(limit);
    const taken = await tx
      .update(redemptions)
      .set({ runAtMs: systemMs + REDEMPTION_LEASE_MS, attempts: sql`${redemptions.attempts} + 1` })
      .where(
        and(
          inArray(
            redemptions.id,
            due.map(({ id }) => id),
          ),
          isDue,
        ),
      )
      .returning({ id: redemptions.id, settlement: redemptions.settlement, attempts: redemptions.attempts });
    const ours = new Map(taken.map((row) => [row.id, row]));
    return due.flatMap(({ twitchRewardId, ...place }) => {
      const row = ours.get(place.id);
      return row?.settlement && twitchRewardId
        ? [{ ...place, twitchRewardId, settlement: row.settlement, attempts: row.attempts }]
        : [];
    });
  });
}
