import { openContextOf, PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type { InventoryAnswer, InventoryItem, SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { findClosestPiece } from '#domain/item/find-closest-piece.ts';
import { listCustodyAssets } from '#domain/item/list-custody-assets.ts';
import { amountOf } from '#domain/item/stackable.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Reads which assets in the bot's inventory belong to no item: those that trades have brought, whether or not
 * Steam reported their ids. A reading of the last `maxAgeMs` serves too. Contexts that cannot be read are left out; fails
 * if none can.
 */
export async function readUnknownAssets(
  work: TransferWork,
  account: SteamAccount,
  appId: number,
  maxAgeMs = 0,
): Promise<InventoryAnswer> {
  const contexts = [openContextOf(appId), PROTECTED_CONTEXT];
  const found: InventoryItem[] = [];
  let isRead = false;
  let isShort = false;
  for (const context of contexts) {
    const items = await work.inventory.read(account, appId, context, maxAgeMs);
    if (items.ok) found.push(...items.value);
    isRead ||= items.ok;
    isShort ||= !items.ok || items.isShort === true;
  }
  if (!isRead) return failure('steamUnavailable', 'later', `the inventory of game ${appId} cannot be read`);
  const known = await listCustodyAssets(work.deps.db.read, { botId: work.botId, appId });
  const unknown = found.filter(({ assetId }) => !known.has(assetId));
  return { ok: true, value: unknown, ...(isShort && { isShort }) };
}

/**
 * Assigns assets whose new ids Steam does not report, class by class: as many of the newest unknown assets as
 * are wanted and have as many pieces, to each the one that is most like it. Null if there are fewer.
 */
export function assignByClass<
  Wanted extends { assetId: string; classId: string; traits: string; wear: string; amount?: number },
>(wanted: readonly Wanted[], unknown: readonly InventoryItem[]): Map<Wanted, InventoryItem> | null {
  const newestFirst = [...unknown].sort((a, b) => (BigInt(a.assetId) < BigInt(b.assetId) ? 1 : -1));
  const assigned = new Map<Wanted, InventoryItem>();
  for (const each of wanted) {
    const alike = newestFirst.filter(
      (item) => item.classId === each.classId && amountOf(item) === amountOf(each),
    );
    const asset = alike[findClosestPiece(alike, each)];
    if (!asset) return null;
    newestFirst.splice(newestFirst.indexOf(asset), 1);
    assigned.set(each, asset);
  }
  return assigned;
}
