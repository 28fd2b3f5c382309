import { type Database, isUniqueViolation } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { tradingPartner } from '#domain/account/steam/trading-partner.ts';
import { depositsLock } from '#domain/locks.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { chooseBot } from '#domain/transfer/choose-bot.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { queueTransfer } from '#domain/transfer/queue-transfer.ts';

/** Maximum number of items in one offer. */
export const MAX_ITEMS_PER_OFFER = 100;

export type DepositRefusal =
  | 'nothingPicked'
  | 'tooManyItems'
  | 'steamNotLinked'
  | 'tradeLinkMissing'
  | 'noBotAvailable'
  | 'assetBusy';

/**
 * Queues an offer that requests these assets from the streamer and gives nothing, through the bot with the most free
 * capacity. A repeated `requestId` returns the first result. The caller has read the assets from the inventory; we
 * own nothing until Steam reports the offer as accepted.
 */
export async function requestDeposit(
  database: Database,
  request: { requestId: string; userId: string; assets: readonly Asset[] },
  nowMs: number,
  systemMs: number,
): Promise<Outcome<{ transferId: string }, DepositRefusal>> {
  const { requestId, userId, assets } = request;
  if (assets.length === 0) return refuse('nothingPicked');
  if (assets.length > MAX_ITEMS_PER_OFFER) return refuse('tooManyItems');
  if (await findTransferOf(database.read, requestId, userId)) return done({ transferId: requestId });
  try {
    return await database.transaction(
      async (tx) => {
        const link = await tradingPartner(tx, userId);
        if (!link.ok) return link;
        const botId = await chooseBot(tx, assets.length, systemMs);
        if (!botId) return refuse('noBotAvailable');
        await queueTransfer(
          tx,
          { id: requestId, kind: 'deposit', userId, botId, partner: link.partner, assets },
          nowMs,
        );
        return done({ transferId: requestId });
      },
      { lock: depositsLock },
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    if (await findTransferOf(database.read, requestId, userId)) return done({ transferId: requestId });
    return refuse('assetBusy');
  }
}
