import { gameOf } from '#bot/steam/games.ts';
import type { SentOffer, SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { type OfferReport, reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Reports to the domain what Steam shows of a transfer's offer. An accepted offer is reported together with its assets'
 * new ids, so it waits until Steam has them. Returns whether anything changed.
 */
export async function applyOffer(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  offer: SentOffer,
): Promise<boolean> {
  const report = await reportOf(work, account, transfer, offer);
  if (!report) return false;
  const { database, clock, log } = work.deps;
  const rolledBack = transfer.state === 'escrowed' && !['Accepted', 'InEscrow'].includes(report.steamState);
  const changed = rolledBack
    ? await reportTransfer(database, transfer.id, { event: 'rolledBack' }, clock.now())
    : await reportOffer(database, transfer.id, report, clock.now());
  if (changed) {
    work.inventory.clear();
    log.info(
      { transfer: transfer.id, offer: offer.offerId, steamState: report.steamState },
      'the offer changed',
    );
  }
  return changed;
}

async function reportOf(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  { offerId, state, tradeId }: SentOffer,
): Promise<OfferReport | null> {
  if (state !== 'Accepted' && state !== 'InEscrow')
    return { offerId, steamState: state, ...(tradeId && { tradeId }) };
  if (!tradeId) return null;
  const answer = await account.getTrade(tradeId);
  if (!answer.ok) {
    work.deps.log.debug({ transfer: transfer.id, ...answer }, 'the trade cannot be read yet');
    return null;
  }
  const trade = answer.value;
  // Accepted, but the trade failed or was rolled back before anything moved for good.
  if (trade.standing === 'rolledBack') return { offerId, steamState: 'Invalid', tradeId };
  if (state === 'InEscrow') return { offerId, steamState: state, tradeId };
  if (trade.standing === 'pending' || trade.standing === 'escrowed') return null;
  if (!covers(trade, transfer)) return null;
  return {
    offerId,
    steamState: state,
    tradeId,
    moved: await withProtection(work, account, transfer, trade),
    ...(trade.settlesAtMs && { settlesAtMs: trade.settlesAtMs }),
  };
}

const covers = ({ moved }: TradeReport, { assets }: BotTransfer) =>
  assets.every(({ appId, assetId }) =>
    moved.some((each) => each.appId === appId && each.assetId === assetId),
  );

/**
 * Adds Steam's release date to deposited assets: from their description, otherwise from the trade's settlement time.
 */
async function withProtection(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  { moved, settlesAtMs }: TradeReport,
): Promise<MovedAsset[]> {
  if (transfer.kind !== 'deposit') return [...moved];
  const result: MovedAsset[] = [];
  for (const asset of moved) {
    const isProtected = asset.newContextId === gameOf(asset.appId)?.protectedContextId;
    if (!isProtected) {
      result.push(asset);
      continue;
    }
    const items = await protectedItems(work, account, transfer, asset);
    const item = items.find(({ assetId }) => assetId === asset.newAssetId);
    const protectedUntilMs = item?.protectedUntilMs ?? settlesAtMs;
    result.push({ ...asset, ...(protectedUntilMs && { protectedUntilMs }) });
  }
  return result;
}

async function protectedItems(
  work: TransferWork,
  account: SteamAccount,
  { acceptedAtMs, sentAtMs }: BotTransfer,
  { appId, newAssetId, newContextId }: MovedAsset,
) {
  const known = await work.inventory.read(account, appId, newContextId);
  if (known.ok && known.value.some(({ assetId }) => assetId === newAssetId)) return known.value;
  work.deps.log.debug({ newAssetId, acceptedAtMs, sentAtMs }, 'reading the protected items again');
  const read = await work.inventory.read(account, appId, newContextId, 0);
  return read.ok ? read.value : [];
}
