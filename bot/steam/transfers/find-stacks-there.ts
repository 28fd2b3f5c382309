import { openContextOf, PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type { SteamAccount, SteamFailure } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { isStackable } from '#domain/item/stackable.ts';
import type { LeasedTransfer } from '#domain/transfer/lease-transfers.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Looks in the bot's own inventory for assets with which a deposit's stacks could be merged, such as the operator's own:
 * custody knows of those only that it compared. Null if there are none, or if nothing in the deposit could be merged.
 */
export async function findStacksThere(
  work: TransferWork,
  account: SteamAccount,
  assets: LeasedTransfer['assets'],
): Promise<SteamFailure | null> {
  const apps = new Set(assets.filter(isStackable).map(({ appId }) => appId));
  for (const appId of apps) {
    const classes = new Set(
      assets.filter((asset) => asset.appId === appId && isStackable(asset)).map(({ classId }) => classId),
    );
    for (const contextId of [openContextOf(appId), PROTECTED_CONTEXT]) {
      const read = await work.inventory.read(account, appId, contextId, 0);
      // Not every game has this context, and what custody has in it is known.
      if (!read.ok && contextId === PROTECTED_CONTEXT) continue;
      if (!read.ok) return read;
      if (read.value.some(({ classId }) => classes.has(classId)))
        return failure('stackThere', 'never', `the bot has an asset of this class in context ${contextId}`);
      if (read.isShort)
        return failure('steamUnavailable', 'later', `part of the inventory of game ${appId} is unreadable`);
    }
  }
  return null;
}
