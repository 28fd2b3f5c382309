import { openContextOf, PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type { InventoryItem, SteamAccount, SteamFailure } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { amountOf, gamesWithStacks, isStackable } from '#domain/item/stackable.ts';
import type { LeasedTransfer } from '#domain/transfer/lease-transfers.ts';
import { recordStrangers } from './record-strangers.ts';
import type { TransferWork } from './transfer-work.ts';

type Assets = LeasedTransfer['assets'];

/**
 * Looks in the bot's own inventory for assets with which a deposit's could be merged, such as the operator's own: any of
 * the class of a stack, and stacks of the class of a single piece. Custody knows of those only that it compared, so what
 * is found is recorded, and the next deposit goes to another bot. Null if there are none.
 */
export async function findStacksThere(
  work: TransferWork,
  account: SteamAccount,
  assets: Assets,
): Promise<SteamFailure | null> {
  for (const appId of gamesWithStacks(assets)) {
    const ofGame = assets.filter((asset) => asset.appId === appId);
    const found = await findInGame(work, account, { appId, assets: ofGame });
    if (found) return found;
  }
  return null;
}

async function findInGame(
  work: TransferWork,
  account: SteamAccount,
  { appId, assets }: { appId: number; assets: Assets },
): Promise<SteamFailure | null> {
  const classes = new Set(assets.map(({ classId }) => classId));
  const single = new Set(assets.filter(isStackable).map(({ classId }) => classId));
  const mayMerge = (own: InventoryItem) =>
    single.has(own.classId) || (classes.has(own.classId) && amountOf(own) > 1);
  const there: InventoryItem[] = [];
  let isWhole = true;
  for (const contextId of [openContextOf(appId), PROTECTED_CONTEXT]) {
    const read = await work.inventory.read(account, appId, contextId, 0);
    // Not every game has this context, and what custody has in it is known.
    if (!read.ok && contextId === PROTECTED_CONTEXT) {
      isWhole = false;
      continue;
    }
    if (!read.ok) return read;
    there.push(...read.value);
    if (read.isShort) isWhole = false;
    if (read.isShort && !there.some(mayMerge))
      return failure('steamUnavailable', 'later', `part of the inventory of game ${appId} is unreadable`);
  }
  const found = there.find(mayMerge);
  if (!found) return null;
  if (isWhole) await recordStrangers(work, appId, there);
  return failure('stackThere', 'never', `the bot has an asset of this class in context ${found.contextId}`);
}
