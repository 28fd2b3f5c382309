import {
  and,
  asc,
  count,
  eq,
  exists,
  getTableColumns,
  inArray,
  lte,
  ne,
  notExists,
  notInArray,
  or,
  sql,
} from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { is, skipLocked } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { openOfferStates, type TransferKind, transferItems, transfers } from '#db/schema/transfer.ts';
import { botLock } from '#domain/locks.ts';
import { hasRevocableCondition } from '#domain/rule/conditions/conditions.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { depositsAtOnce, MAX_OPEN_OFFERS_PER_PARTNER, maxOpenBefore } from '#domain/transfer/offer-limits.ts';
import { underWay } from '#domain/transfer/under-way.ts';

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

/** Claims are sent first, then returns, then deposits. */
const urgency = sql`case ${transfers.kind} when 'claim' then 0 when 'return' then 1 else 2 end`;

/**
 * Leases due transfers of one bot to `holder` and marks them `sending`, claims first, up to Steam's offer limits; the
 * last places are reserved by kind, and an account has few deposits on Steam at once. Skips transfers
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
      const due = await skipLocked(
        tx
          .select({ ...getTableColumns(transfers), hasDeposited: hasDeposited(tx) })
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
              notInArray(transfers.partnerSteamId, open.fullPartners()),
              or(ne(transfers.kind, 'deposit'), notInArray(transfers.userId, open.fullDepositors())),
            ),
          )
          .orderBy(urgency, asc(transfers.runAtMs), asc(transfers.id))
          .limit(100),
      );
      const leased: LeasedTransfer[] = [];
      for (const transfer of due) {
        if (leased.length >= limit) break;
        if (!open.hasPlaceFor(transfer)) continue;
        if (!(await advanceTransfer(tx, transfer.id, { event: 'started' }, nowMs))) continue;
        await tx
          .update(transfers)
          .set({
            leaseHolder: holder,
            leaseUntilMs: systemMs + SENDING_LEASE_MS,
            attempts: transfer.attempts + 1,
          })
          .where(eq(transfers.id, transfer.id));
        open.add({ ...transfer, offers: 1 });
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

/** Whether one of the account's deposits was ever accepted. */
const hasDeposited = (q: Reader) =>
  sql<boolean>`${exists(
    q.select({ one: sql`1` }).from(items).where(eq(items.ownerId, transfers.userId)),
  )}`.mapWith(Boolean);

interface OpenOffers {
  kind: TransferKind;
  partnerSteamId: string;
  userId: string;
  hasDeposited: boolean;
  offers: number;
}

async function openOffers(tx: Tx, botId: string) {
  const { kind, partnerSteamId, userId } = transfers;
  const rows = await tx
    .select({ kind, partnerSteamId, userId, hasDeposited: hasDeposited(tx), offers: count() })
    .from(transfers)
    .where(and(eq(transfers.botId, botId), underWay(openOfferStates)))
    .groupBy(kind, partnerSteamId, userId);
  const open = new CountedOffers();
  for (const row of rows) open.add(row);
  return open;
}

/** A bot's open offers: in all, by partner, and the deposits by account. */
class CountedOffers {
  #total = 0;
  readonly #byPartner = new Map<string, number>();
  readonly #byDepositor = new Map<string, { offers: number; hasDeposited: boolean }>();

  add({ kind, partnerSteamId, userId, hasDeposited, offers }: OpenOffers): void {
    this.#total += offers;
    this.#byPartner.set(partnerSteamId, (this.#byPartner.get(partnerSteamId) ?? 0) + offers);
    if (kind !== 'deposit') return;
    const known = this.#byDepositor.get(userId)?.offers ?? 0;
    this.#byDepositor.set(userId, { offers: known + offers, hasDeposited });
  }

  hasPlaceFor({ kind, partnerSteamId, userId }: Omit<OpenOffers, 'offers'>): boolean {
    if (this.#total >= maxOpenBefore[kind] || this.fullPartners().includes(partnerSteamId)) return false;
    return kind !== 'deposit' || !this.fullDepositors().includes(userId);
  }

  fullPartners(): string[] {
    return [...this.#byPartner].flatMap(([partner, offers]) =>
      offers >= MAX_OPEN_OFFERS_PER_PARTNER ? [partner] : [],
    );
  }

  fullDepositors(): string[] {
    return [...this.#byDepositor].flatMap(([userId, { offers, hasDeposited }]) =>
      offers >= depositsAtOnce(hasDeposited) ? [userId] : [],
    );
  }
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
