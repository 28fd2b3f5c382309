import {
  type InventoryOptions,
  type InventoryRefusal,
  readInventories,
} from '#app/services/items/inventory.server.ts';
import { groupInventory, pickAssets } from '#app/services/items/inventory-kinds.server.ts';
import { type Pick, pickedGames } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import type { Account } from '#domain/account/get-account.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { listBusyAssets } from '#domain/transfer/list-busy-assets.ts';
import { type DepositRefusal, requestDeposit } from '#domain/transfer/request-deposit.ts';
import { countStackRoom } from '#domain/transfer/stack-room.ts';

/**
 * The kinds of a linked inventory that can be deposited, read through the bot. With `isAnyStack`, also stacks for which no
 * bot has room: whoever asks for one is told so.
 */
export async function readDepositable(
  db: Database,
  account: { userId: string; steamId: string },
  { isAnyStack = false, ...options }: InventoryOptions & { isAnyStack?: boolean } = {},
) {
  const [read, busy] = await Promise.all([readInventories(account, options), listBusyAssets(db, account)]);
  if (!read.ok) return read;
  const { inventories, ...rest } = read;
  const tradable = inventories.flatMap(({ assets }) => assets.filter((asset) => asset.tradable));
  const stackRoom = isAnyStack ? new Map() : await countStackRoom(db.read, tradable, Date.now());
  return done({ kinds: groupInventory(inventories, { busy, stackRoom }), ...rest });
}

/**
 * Requests a deposit of picked kinds. The form contains only kinds and quantities: the assets, and whether each can
 * be traded, are read from the inventory again.
 */
export async function depositPicks(
  db: Database,
  request: { requestId: string; account: Account; picks: readonly Pick[] },
  nowMs: number,
): Promise<Outcome<{ transferId: string }, DepositRefusal | InventoryRefusal | 'assetMissing'>> {
  const { requestId, account, picks } = request;
  const { id: userId, steam } = account;
  if (picks.length === 0) return refuse('nothingPicked');
  if (!steam) return refuse('steamNotLinked');
  // A repeated request: the assets of the first one are busy now and could not be picked again.
  if (await findTransferOf(db.read, requestId, userId)) return done({ transferId: requestId });
  const only = { appIds: pickedGames(picks), isOnlyThese: true, isAnyStack: true };
  const read = await readDepositable(db, { userId, steamId: steam.steamId }, only);
  if (!read.ok) return read;
  const assets = pickAssets(read.kinds, picks);
  if (!assets) {
    // Another copy of this request, sent at the same time, may have taken them.
    const first = await findTransferOf(db.read, requestId, userId);
    if (first) return done({ transferId: requestId });
    if (read.missingCode) return refuse(read.missingCode);
    return refuse(read.parts.length > 0 ? 'inventoryIncomplete' : 'assetMissing');
  }
  return requestDeposit(db, { requestId, userId, assets }, nowMs, Date.now());
}
