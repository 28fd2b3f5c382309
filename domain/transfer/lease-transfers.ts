import { eq } from 'drizzle-orm';
import { type Database, holdLock, type Tx } from '#db/database.ts';
import { skipLocked } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { botLock, depositsLock } from '#domain/kernel/locks.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { readDepositRoom } from '#domain/transfer/deposit-room.ts';
import { dueDeposits, hasDueDeposit, withContents } from '#domain/transfer/due-deposits.ts';
import { dueTransfers, givenKinds } from '#domain/transfer/due-transfers.ts';
import { countOpenOffers } from '#domain/transfer/open-offers.ts';

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
  assets: (Pick<Asset, 'appId' | 'contextId' | 'assetId' | 'classId' | 'typeTag'> & { amount: number })[];
}

interface Lease {
  botId: string;
  holder: string;
  limit?: number;
  checkedClaims?: readonly string[];
}
interface Times {
  nowMs: number;
  systemMs: number;
}

/**
 * Leases due transfers of one bot to `holder` and marks them `sending`, claims first, then returns, then
 * deposits, up to Steam's offer limits; each kind has places of its own. A deposit also needs room at the
 * bot, and an account may have only a few of them on Steam at once; the account with the fewest there comes
 * next. Leases none while the operator has stopped sending. No other process sends a leased transfer: after a
 * crash it becomes `uncertain`, not `queued`.
 */
export async function leaseTransfers(
  db: Database,
  lease: Lease,
  nowMs: number,
  systemMs: number,
): Promise<LeasedTransfer[]> {
  const { botId, limit = 5 } = lease;
  const times = { nowMs, systemMs };
  const given = await db.transaction((tx) => leaseGiven(tx, { ...lease, limit }, times), {
    lock: botLock(botId),
  });
  if (given.length >= limit || !(await hasDueDeposit(db.read, { botId }, nowMs))) return given;
  const asked = await db.transaction(
    async (tx) => {
      await holdLock(tx, botLock(botId));
      return leaseDeposits(tx, { ...lease, limit: limit - given.length }, times);
    },
    // An account's deposits count over all bots, so no two bots decide about them at once.
    { lock: depositsLock },
  );
  return [...given, ...asked];
}

async function leaseGiven(
  tx: Tx,
  { botId, holder, limit, checkedClaims = [] }: Lease & { limit: number },
  times: Times,
): Promise<LeasedTransfer[]> {
  if (await findSendingStop(tx)) return [];
  const open = await countOpenOffers(tx, botId);
  const leased: LeasedTransfer[] = [];
  for (const kind of givenKinds) {
    // Skips the query for a kind without a free place, because many may wait for one.
    if (!open.hasPlaceForKind(kind)) continue;
    const due = await skipLocked(dueTransfers(tx, { botId, kind, checkedClaims, open }, times.nowMs));
    for (const transfer of due) {
      if (leased.length >= limit) return leased;
      if (!open.hasPlaceFor(transfer)) continue;
      const taken = await take(tx, transfer, holder, times);
      if (!taken) continue;
      open.add({ ...transfer, offers: 1 });
      leased.push(taken);
    }
  }
  return leased;
}

async function leaseDeposits(
  tx: Tx,
  { botId, holder, limit }: Lease & { limit: number },
  times: Times,
): Promise<LeasedTransfer[]> {
  if (await findSendingStop(tx)) return [];
  const [open, room] = [await countOpenOffers(tx, botId), await readDepositRoom(tx)];
  const leased: LeasedTransfer[] = [];
  while (leased.length < limit && open.hasPlaceForKind('deposit')) {
    const rows = await skipLocked(dueDeposits(tx, { botId, room, open }, times.nowMs));
    const due = await withContents(tx, rows);
    // The sort is stable: among equals, the one that has waited longest comes first.
    const next = due
      .toSorted((one, other) => room.offersOf(one.userId) - room.offersOf(other.userId))
      .find((each) => room.fits(each, botId));
    const taken = next && (await take(tx, next, holder, times));
    if (!next || !taken) break;
    open.add({ ...next, offers: 1 });
    room.add(next);
    leased.push(taken);
  }
  return leased;
}

type Transfer = typeof transfers.$inferSelect;

async function take(
  tx: Tx,
  { id, kind, partnerSteamId, tradeToken, securityCode, ...transfer }: Transfer,
  holder: string,
  { nowMs, systemMs }: Times,
): Promise<LeasedTransfer | null> {
  if (!(await advanceTransfer(tx, id, { event: 'started' }, nowMs))) return null;
  const attempts = transfer.attempts + 1;
  await tx
    .update(transfers)
    .set({ leaseHolder: holder, leaseUntilMs: systemMs + SENDING_LEASE_MS, attempts })
    .where(eq(transfers.id, id));
  return { id, kind, partnerSteamId, tradeToken, securityCode, attempts, assets: await assetsOf(tx, id) };
}

const assetsOf = (tx: Tx, transferId: string) =>
  tx
    .select({
      appId: transferItems.appId,
      contextId: transferItems.contextId,
      assetId: transferItems.assetId,
      classId: transferItems.classId,
      typeTag: transferItems.typeTag,
      amount: transferItems.amount,
    })
    .from(transferItems)
    .where(eq(transferItems.transferId, transferId));
