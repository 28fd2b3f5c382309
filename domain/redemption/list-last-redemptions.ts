import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type RefundReason, redemptions } from '#db/schema/redemption.ts';

/** The outcome of a viewer's latest redemption for a rule. */
export interface LastRedemption {
  redeemedAtMs: number;
  /** `returning`: Twitch has not confirmed the refund yet. */
  points: 'kept' | 'returning' | 'returned';
  /** The reason for a refund; null if there is none. */
  refundReason: RefundReason | null;
}

/** Returns the user's latest redemption for each of these rules that has one. */
export async function listLastRedemptions(
  db: Database,
  { userId, ruleIds }: { userId: string; ruleIds: readonly string[] },
): Promise<Map<string, LastRedemption>> {
  if (ruleIds.length === 0) return new Map();
  const { ruleId, redeemedAtMs, refundReason, state, settlement } = redemptions;
  const rows = await db.read
    .select({ ruleId, redeemedAtMs, refundReason, state, settlement })
    .from(redemptions)
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, redemptions.twitchId))
    .where(and(eq(twitchAccounts.userId, userId), inArray(ruleId, [...ruleIds])))
    .orderBy(asc(redeemedAtMs), asc(redemptions.id));
  return new Map(rows.map(({ ruleId: rule, ...row }) => [rule, lastOf(row)]));
}

type Row = Pick<typeof redemptions.$inferSelect, 'redeemedAtMs' | 'refundReason' | 'state' | 'settlement'>;

/** Describes the outcome of one redemption. */
export function lastOf({ redeemedAtMs, refundReason, state, settlement }: Row): LastRedemption {
  if (state === 'refunded') return { redeemedAtMs, points: 'returned', refundReason };
  if (state === 'open' && settlement === 'refund') return { redeemedAtMs, points: 'returning', refundReason };
  return { redeemedAtMs, points: 'kept', refundReason: null };
}
