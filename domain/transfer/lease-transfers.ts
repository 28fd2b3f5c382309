import { and, asc, count, eq, inArray, lte, notExists, notInArray, or, sql } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { is, skipLocked } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { openOfferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { botLock } from '#domain/locks.ts';
import { hasRevocableCondition } from '#domain/rule/conditions/conditions.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** Steam allows about 30 outstanding offers, and 5 per partner. We stay below both; the rest wait in the queue. */
export const MAX_OPEN_OFFERS = 25;
export const MAX_OPEN_OFFERS_PER_PARTNER = 4;
/** When this lease ends, the send was interrupted and its outcome counts as unknown. System time. */
export const SENDING_LEASE_MS = 120_000;

/** Everything the bot needs to send one offer. */
export interface LeasedTransfer {
  id: string;
  kind: (typeof transfers.$inferSelect)['kind'];
  partnerSteamId: string;
  tradeToken: string;
  securityCode: string;
  attempts: number;
  assets: { appId: number; contextId: string; assetId: string }[];
}

/**
 * Leases due transfers of one bot to `holder` and marks them `sending`, up to Steam's offer limits. Skips transfers
 * with a requested cancellation, claims whose points were refunded, and claims whose conditions must be rechecked
 * unless listed in `checkedClaims`. No other process sends a leased transfer: after a crash it becomes `uncertain`,
 * not `queued`.
 */
export async function leaseTransfers(
  database: Database,
  {
    botId,
    holder,
    limit = 5,
    checkedClaims = [],
  }: { botId: string; holder: string; limit?: number; checkedClaims?: readonly string[] },
  nowMs: number,
  systemMs: number,
): Promise<LeasedTransfer[]> {
  return database.transaction(
    async (tx) => {
      const open = await openOffers(tx, botId);
      const full = [...open.byPartner].filter(([, offers]) => offers >= MAX_OPEN_OFFERS_PER_PARTNER);
      const due = await skipLocked(
        tx
          .select()
          .from(transfers)
          .where(
            and(
              eq(transfers.botId, botId),
              underWay(['queued']),
              eq(transfers.cancelWanted, false),
              lte(transfers.runAtMs, nowMs),
              or(inArray(transfers.id, [...checkedClaims]), notExists(ruleToRecheck(tx))),
              notExists(refundOfClaim(tx)),
              // One partner's long queue must not block the others.
              notInArray(
                transfers.partnerSteamId,
                full.map(([partner]) => partner),
              ),
            ),
          )
          .orderBy(asc(transfers.runAtMs), asc(transfers.id))
          .limit(100),
      );
      const leased: LeasedTransfer[] = [];
      for (const transfer of due) {
        if (leased.length >= limit || open.total >= MAX_OPEN_OFFERS) break;
        const toPartner = open.byPartner.get(transfer.partnerSteamId) ?? 0;
        if (toPartner >= MAX_OPEN_OFFERS_PER_PARTNER) continue;
        if (!(await advanceTransfer(tx, transfer.id, { event: 'started' }, nowMs))) continue;
        await tx
          .update(transfers)
          .set({
            leaseHolder: holder,
            leaseUntilMs: systemMs + SENDING_LEASE_MS,
            attempts: transfer.attempts + 1,
          })
          .where(eq(transfers.id, transfer.id));
        open.total++;
        open.byPartner.set(transfer.partnerSteamId, toPartner + 1);
        leased.push({
          ...transfer,
          attempts: transfer.attempts + 1,
          assets: await assetsOf(tx, transfer.id),
        });
      }
      return leased;
    },
    { lock: botLock(botId) },
  );
}

/** The claim's rule, if it has a condition that may no longer be met since the promise. */
const ruleToRecheck = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(rewards)
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), hasRevocableCondition()))
    .where(and(eq(rewards.id, transfers.rewardId), is(transfers.kind, 'claim')));

/**
 * A refunded redemption of the claim. It blocks even a claim that was just checked: the refund may have arrived
 * during a failed send.
 */
const refundOfClaim = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(redemptions)
    .where(and(eq(redemptions.rewardId, transfers.rewardId), is(redemptions.state, 'refunded')));

async function openOffers(tx: Tx, botId: string) {
  const rows = await tx
    .select({ partner: transfers.partnerSteamId, offers: count() })
    .from(transfers)
    .where(and(eq(transfers.botId, botId), underWay(openOfferStates)))
    .groupBy(transfers.partnerSteamId);
  const byPartner = new Map(rows.map((row) => [row.partner, Number(row.offers)]));
  return { byPartner, total: rows.reduce((sum, row) => sum + Number(row.offers), 0) };
}

const assetsOf = (tx: Tx, transferId: string) =>
  tx
    .select({
      appId: transferItems.appId,
      contextId: transferItems.contextId,
      assetId: transferItems.assetId,
    })
    .from(transferItems)
    .where(eq(transferItems.transferId, transferId));
