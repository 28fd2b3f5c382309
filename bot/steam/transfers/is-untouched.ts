import { openContextOf } from '#bot/steam/games.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { amountOf } from '#domain/item/stackable.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { isDoubted } from './doubts.ts';
import type { TransferWork } from './transfer-work.ts';
import { readUnknownAssets } from './unknown-assets.ts';

/**
 * Returns whether a transfer's assets are where they were before it: our own in the bot's inventory; those of
 * a deposit with their streamer, or at least not with the bot. With `mustSee`, an inventory that cannot be
 * read proves nothing.
 */
export async function isUntouched(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  { mustSee }: { mustSee: boolean },
): Promise<boolean> {
  if (transfer.kind === 'deposit') return isNotDeposited(work, account, transfer, mustSee);
  // An offer of an asset that left with its deposit can move nothing.
  if (transfer.assets.some(({ hasLeft }) => hasLeft)) return true;
  const located = await work.inventory.locate(account, transfer.assets);
  if (!located.ok)
    work.deps.log.warn(
      { transfer: transfer.id, ...located },
      'the uncertain offer was not found, but neither were its assets',
    );
  // One that shows what has left it would show these as well.
  return located.ok && !(await isDoubted(work, 'inventory', transfer));
}

async function isNotDeposited(
  work: TransferWork,
  account: SteamAccount,
  { id, partnerSteamId, assets }: BotTransfer,
  mustSee: boolean,
): Promise<boolean> {
  for (const appId of new Set(assets.map((asset) => asset.appId))) {
    const wanted = assets.filter((asset) => asset.appId === appId);
    const theirs = await account.inventory(partnerSteamId, appId, openContextOf(appId));
    if (!theirs.ok && !mustSee) continue;
    const isWithThem =
      theirs.ok &&
      wanted.every((asset) =>
        theirs.value.some((item) => item.assetId === asset.assetId && amountOf(item) === amountOf(asset)),
      );
    if (isWithThem) continue;
    const unknown = await readUnknownAssets(work, account, appId);
    const hasArrived =
      !unknown.ok ||
      unknown.isShort ||
      wanted.some(({ classId }) => unknown.value.some((item) => item.classId === classId));
    if (!hasArrived) continue;
    work.deps.log.warn({ transfer: id }, 'the uncertain deposit was not found, but its assets may be here');
    return false;
  }
  return true;
}
