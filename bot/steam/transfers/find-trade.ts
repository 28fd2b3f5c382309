import type { SteamAccount, TradeHistory, TradeReport } from '#bot/steam/steam-account.ts';
import { amountOf } from '#domain/item/stackable.ts';
import { hour } from '#domain/kernel/time.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { isDoubted } from './doubts.ts';
import { searchFromMs, type TransferWork } from './transfer-work.ts';

const LONGEST_PAUSE_MS = hour;

/** Null in place of an id: Steam does not name the trade, but its assets are known to have moved. */
interface FoundTrade {
  tradeId: string | null;
  trade: TradeReport;
}

/**
 * Finds the trade of an accepted offer: by the id that the offer names; else in the history, by that id or by
 * its partner and assets; at last, for assets of ours, by their absence from the inventory. One empty answer is
 * never final, so what the history does not show is looked for again after growing pauses.
 */
export async function findTrade(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  tradeId: string | null,
): Promise<FoundTrade | null> {
  const named = tradeId === null ? null : await account.getTrade(tradeId);
  const search = searchOf(transfer);
  if (tradeId !== null && named?.ok) {
    work.patience.end(search);
    return { tradeId, trade: named.value };
  }
  const isLate = work.patience.isOver(search, work.pace.arrivalMs);
  if (work.patience.isPaused(search)) return null;
  const found = await findInHistory(work, account, transfer, tradeId);
  if (found) return found;
  work.patience.pause(search, { firstMs: work.pace.arrivalRetryMs, longestMs: LONGEST_PAUSE_MS });
  work.deps.log.warn(
    { transfer: transfer.id, trade: tradeId },
    'Steam does not show the trade of an accepted offer',
  );
  return isLate && (await hasMoved(work, account, transfer))
    ? { tradeId, trade: { standing: 'complete', moved: [] } }
    : null;
}

const searchOf = ({ id }: BotTransfer) => `trade of ${id}`;

/** Returns whether the trade of an accepted offer was not found, and is looked for again later. */
export const isTradePaused = (work: TransferWork, transfer: BotTransfer): boolean =>
  work.patience.isPaused(searchOf(transfer));

async function findInHistory(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  tradeId: string | null,
): Promise<FoundTrade | null> {
  const history = await account.tradesSince(searchFromMs(work, account, transfer.createdAtMs) - hour);
  if (!history.ok) return null;
  const { trades } = history.value;
  const id = tradeId !== null && trades.has(tradeId) ? tradeId : idByParties(history.value, transfer);
  const trade = id === undefined ? undefined : trades.get(id);
  return id !== undefined && trade ? { tradeId: id, trade } : null;
}

/**
 * Returns whether Steam's history can be read, is not doubted, and shows no trade of a transfer's assets with its
 * partner. It is asked about an offer that the list does not show.
 */
export async function isWithoutTrade(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
): Promise<boolean> {
  const history = await account.tradesSince(searchFromMs(work, account, transfer.createdAtMs) - hour);
  // A trade of another amount of the same stack is not the offer's, but leaves open what there still is to trade.
  const isAbsent = history.ok && idByParties(history.value, transfer, { isOfAnyAmount: true }) === undefined;
  return isAbsent && !(await isDoubted(work, 'history', transfer));
}

/** An asset moves only once under one id, so a trade with these assets and this partner is the offer's. */
function idByParties(
  { parties }: TradeHistory,
  { partnerSteamId, assets }: BotTransfer,
  { isOfAnyAmount = false } = {},
): string | undefined {
  const found = [...parties].find(
    ([, each]) =>
      each.partnerSteamId === partnerSteamId &&
      assets.every((wanted) =>
        each.assets.some(
          ({ appId, assetId, amount = amountOf(wanted) }) =>
            appId === wanted.appId &&
            assetId === wanted.assetId &&
            (isOfAnyAmount || amount === amountOf(wanted)),
        ),
      ),
  );
  return found?.[0];
}

/**
 * Returns whether the assets of an accepted offer changed hands: ours are in no part of the inventory any
 * more. Those of a deposit are looked for by whoever records them.
 */
async function hasMoved(work: TransferWork, account: SteamAccount, transfer: BotTransfer): Promise<boolean> {
  if (transfer.kind === 'deposit') return true;
  for (const asset of transfer.assets) {
    const located = await work.inventory.locate(account, [asset]);
    if (located.ok || located.code !== 'itemUnavailable' || located.retry !== 'never') return false;
  }
  return true;
}
