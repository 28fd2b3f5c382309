import { type Database, isUniqueViolation } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { tradingPartner } from '#domain/account/steam/trading-partner.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { chooseBot } from '#domain/transfer/choose-bot.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { queueTransfer } from '#domain/transfer/queue-transfer.ts';

/** One offer may hold this many items. */
export const MAX_ITEMS_PER_OFFER = 100;

export type DepositRefusal =
  | 'nothingPicked'
  | 'tooManyItems'
  | 'steamNotLinked'
  | 'tradeLinkMissing'
  | 'noBotAvailable'
  | 'assetBusy';

/**
 * A streamer hands over exact assets of the linked inventory: one offer that the bot with most room will send, asking
 * for them and giving nothing. `requestId` makes a second submit answer the first. The caller has read the assets from
 * the inventory; nothing is ours until Steam says that the offer was accepted.
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
      { lock: 'deposits' },
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    if (await findTransferOf(database.read, requestId, userId)) return done({ transferId: requestId });
    return refuse('assetBusy');
  }
}
