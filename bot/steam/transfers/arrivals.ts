import { gameOf } from '#bot/steam/games.ts';
import type { SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import type { TransferWork } from './transfer-work.ts';
import { assignByClass, readUnknownAssets } from './unknown-assets.ts';

/**
 * Where the assets of an accepted deposit are now: under the ids that Steam tells, otherwise, after a while, what has
 * appeared in the bot's inventory. Null: not known yet.
 */
export async function readArrivals(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  trade: TradeReport,
  settlesAtMs: number | undefined,
): Promise<MovedAsset[] | null> {
  const arrived: MovedAsset[] = [];
  for (const appId of new Set(transfer.assets.map((asset) => asset.appId))) {
    const wanted = transfer.assets.filter((asset) => asset.appId === appId);
    const reported = reportedOf(wanted, trade);
    const found = reported ?? (await foundOf(work, account, transfer, wanted));
    if (!found) return null;
    arrived.push(...found);
  }
  work.patience.end(arrivalOf(transfer));
  return Promise.all(arrived.map((asset) => withProtection(work, account, asset, settlesAtMs)));
}

const arrivalOf = ({ id }: BotTransfer) => `arrival of ${id}`;

function reportedOf(wanted: BotTransfer['assets'], { moved }: TradeReport): MovedAsset[] | null {
  const reported = wanted.flatMap(
    ({ appId, assetId }) => moved.find((asset) => asset.appId === appId && asset.assetId === assetId) ?? [],
  );
  return reported.length === wanted.length ? reported : null;
}

async function foundOf(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  wanted: BotTransfer['assets'],
): Promise<MovedAsset[] | null> {
  if (!work.patience.isOver(arrivalOf(transfer), work.pace.arrivalMs)) return null;
  const unknown = await readUnknownAssets(work, account, wanted[0]?.appId ?? 0);
  const assigned = unknown.ok ? assignByClass(wanted, unknown.value) : null;
  if (!assigned) {
    work.deps.log.warn({ transfer: transfer.id }, 'an accepted deposit is not in the inventory yet');
    return null;
  }
  work.deps.log.info({ transfer: transfer.id }, "Steam does not tell a deposit's new ids; took what arrived");
  return [...assigned].map(([{ appId, assetId }, asset]) => ({
    appId,
    assetId,
    newAssetId: asset.assetId,
    newContextId: asset.contextId,
  }));
}

/** Adds until when the deposited asset is protected: its own date or the trade's settlement, whichever is later. */
async function withProtection(
  work: TransferWork,
  account: SteamAccount,
  asset: MovedAsset,
  settlesAtMs: number | undefined,
): Promise<MovedAsset> {
  const isProtected = asset.newContextId === gameOf(asset.appId)?.protectedContextId;
  const item = isProtected ? await protectedItem(work, account, asset) : undefined;
  const protectedUntilMs = Math.max(item?.protectedUntilMs ?? 0, settlesAtMs ?? 0);
  return { ...asset, ...(protectedUntilMs > 0 && { protectedUntilMs }) };
}

async function protectedItem(
  work: TransferWork,
  account: SteamAccount,
  { appId, newAssetId, newContextId }: MovedAsset,
) {
  const find = async (maxAgeMs?: number) => {
    const read = await work.inventory.read(account, appId, newContextId, maxAgeMs);
    return read.ok ? read.value.find(({ assetId }) => assetId === newAssetId) : undefined;
  };
  return (await find()) ?? (await find(0));
}
