import { and, eq } from 'drizzle-orm';
import { type Database, isUniqueViolation, type Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { type TradingPartner, tradingPartner } from '#domain/account/steam/trading-partner.ts';
import { newId } from '#domain/id.ts';
import { depositsLock } from '#domain/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/outcome.ts';
import { chooseBot } from '#domain/transfer/choose-bot.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { depositsAtOnce } from '#domain/transfer/offer-limits.ts';
import { queueTransfer } from '#domain/transfer/queue-transfer.ts';

/** Maximum number of items in one offer. */
export const MAX_ITEMS_PER_OFFER = 100;
/** Maximum number of items in one deposit, which is sent as several offers if need be. */
export const MAX_ITEMS_PER_DEPOSIT = 5000;

export type DepositRefusal =
  | 'nothingPicked'
  | 'tooManyItems'
  | 'steamNotLinked'
  | 'tradeLinkMissing'
  | 'noBotAvailable'
  | 'tooManyDeposits'
  | 'assetBusy';

interface Request {
  requestId: string;
  userId: string;
  assets: readonly Asset[];
}

/**
 * Queues offers that request these assets from the streamer and give nothing: one, or a batch of several that are sent
 * one after another as earlier ones are accepted. Each goes through the bot with the most free capacity. An account may
 * have two deposits under way, four once one of its deposits was accepted. A repeated `requestId` returns the first
 * result. The caller has read the assets from the inventory; we own nothing until Steam reports an offer as accepted.
 */
export async function requestDeposit(
  database: Database,
  request: Request,
  nowMs: number,
  systemMs: number,
): Promise<Outcome<{ transferId: string }, DepositRefusal>> {
  type Answer = Outcome<{ transferId: string }, DepositRefusal>;
  const { requestId, userId, assets } = request;
  if (assets.length === 0) return refuse('nothingPicked');
  if (assets.length > MAX_ITEMS_PER_DEPOSIT) return refuse('tooManyItems');
  if (await findTransferOf(database.read, requestId, userId)) return done({ transferId: requestId });
  try {
    return await refusable<Answer, DepositRefusal>(() =>
      database.transaction(
        async (tx) => {
          const link = await tradingPartner(tx, userId);
          if (!link.ok) return link;
          if (await hasTooManyDeposits(tx, userId)) return refuse('tooManyDeposits');
          await queueDeposit(tx, { ...request, partner: link.partner }, { nowMs, systemMs });
          return done({ transferId: requestId });
        },
        { lock: depositsLock },
      ),
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    if (await findTransferOf(database.read, requestId, userId)) return done({ transferId: requestId });
    return refuse('assetBusy');
  }
}

/** Throws `noBotAvailable` unless there is room for all. */
async function queueDeposit(
  tx: Tx,
  { requestId, userId, assets, partner }: Request & { partner: TradingPartner },
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<void> {
  const isBatch = assets.length > MAX_ITEMS_PER_OFFER;
  for (let from = 0; from < assets.length; from += MAX_ITEMS_PER_OFFER) {
    const part = assets.slice(from, from + MAX_ITEMS_PER_OFFER);
    const botId = await chooseBot(tx, part.length, systemMs);
    if (!botId) throw new Refused<DepositRefusal>('noBotAvailable');
    const id = from === 0 ? requestId : newId(nowMs);
    const batch = isBatch ? { batchId: requestId } : {};
    await queueTransfer(tx, { id, kind: 'deposit', userId, botId, partner, assets: part, ...batch }, nowMs);
  }
}

async function hasTooManyDeposits(tx: Tx, userId: string): Promise<boolean> {
  const live = await tx
    .select({ id: transfers.id, batchId: transfers.batchId })
    .from(transfers)
    .where(
      and(
        eq(transfers.userId, userId),
        within(transfers.state, liveTransferStates),
        is(transfers.kind, 'deposit'),
      ),
    );
  const deposits = new Set(live.map(({ id, batchId }) => batchId ?? id));
  if (deposits.size < depositsAtOnce(false)) return false;
  const accepted = await tx.select({ id: items.id }).from(items).where(eq(items.ownerId, userId)).limit(1);
  return deposits.size >= depositsAtOnce(accepted.length > 0);
}
