import { type Game, gameOf } from '#bot/steam/games.ts';
import type {
  AssetName,
  InventoryAnswer,
  OfferedAsset,
  OfferRequest,
  SteamAnswer,
  SteamFailure,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { amountOf } from '#domain/item/stackable.ts';

/** The readings that tell why Steam refused an offer. */
export interface Explanations {
  ownSteamId: string;
  /** Fails as `steamTokenInvalid` if the trade link is dead. */
  checkLink(request: OfferRequest): Promise<SteamAnswer<unknown>>;
  /** Number of items that an account has in a game; null if Steam does not tell. */
  countItems(
    steamId: string,
    asset: Pick<AssetName, 'appId' | 'contextId'>,
  ): Promise<SteamAnswer<number | null>>;
  /** Number of items that an account has room for in Team Fortress 2, where accounts differ. */
  countSlots(steamId: string): Promise<SteamAnswer<number>>;
  inventory(steamId: string, appId: number, contextId: string): Promise<InventoryAnswer>;
  /** True if the account is banned from any game. */
  isGameBanned(steamId: string): Promise<SteamAnswer<boolean>>;
}

/**
 * Returns the true reason for a refusal with 15, as far as Steam tells it. The number means a dead link, a hidden
 * inventory, a ban from the game, a receiver without room for more of its items (steamerrors.com/15, quoted in
 * halipso/php-steam-tradeoffers#19; TF2Autobot/tf2autobot#134), or items that cannot be traded (bukson/steampy#280). What cannot be read stays
 * `inventoryUnavailable`, which names no single cause.
 */
export async function explainRefusal(
  refusal: SteamFailure,
  request: OfferRequest,
  reads: Explanations,
): Promise<SteamFailure> {
  if (refusal.code !== 'steamTokenInvalid') return refusal;
  const link = await reads.checkLink(request);
  if (!link.ok) return refusal;
  const { detail } = refusal;
  const inventory = await troubleOfInventories(request, reads);
  if (inventory) return failure(inventory, 'never', detail);
  if (await isUntradable(request.receive, request.partnerSteamId, reads))
    return failure('itemUnavailable', 'never', detail);
  // Items of ours become tradable again.
  if (await isUntradable(request.give, reads.ownSteamId, reads))
    return failure('itemUnavailable', 'later', detail);
  const banned = await reads.isGameBanned(request.partnerSteamId);
  return failure(banned.ok && banned.value ? 'gameBanned' : 'inventoryUnavailable', 'never', detail);
}

/**
 * Returns whether an asset is listed as untradable, with another number of pieces, or not at all; false if the inventory
 * cannot be read whole.
 */
async function isUntradable(
  assets: readonly Required<OfferedAsset>[],
  steamId: string,
  { inventory }: Explanations,
): Promise<boolean> {
  for (const { appId, contextId } of new Map(
    assets.map((one) => [`${one.appId}/${one.contextId}`, one]),
  ).values()) {
    const read = await inventory(steamId, appId, contextId);
    if (!read.ok || read.isShort) continue;
    const tradable = new Map(
      read.value.flatMap((item) => (item.tradable ? [[item.assetId, amountOf(item)] as const] : [])),
    );
    const here = assets.filter((asset) => asset.appId === appId && asset.contextId === contextId);
    if (here.some((asset) => tradable.get(asset.assetId) !== asset.amount)) return true;
  }
  return false;
}

async function troubleOfInventories(
  { partnerSteamId, give, receive }: OfferRequest,
  reads: Explanations,
): Promise<'inventoryPrivate' | 'inventoryFull' | null> {
  for (const appId of new Set([...give, ...receive].map((asset) => asset.appId))) {
    const game = gameOf(appId);
    if (!game) continue;
    const arriving = (assets: readonly AssetName[]) => assets.filter((asset) => asset.appId === appId).length;
    const theirs = await reads.countItems(partnerSteamId, game);
    if (!theirs.ok && theirs.code === 'inventoryPrivate') return 'inventoryPrivate';
    if (await isOver(partnerSteamId, game, arriving(give), theirs, reads)) return 'inventoryFull';
    const { ownSteamId } = reads;
    const ours = receive.length > 0 ? await reads.countItems(ownSteamId, game) : theirs;
    if (await isOver(ownSteamId, game, arriving(receive), ours, reads)) return 'inventoryFull';
  }
  return null;
}

/** Returns whether so many more items are too many for the account; false if Steam does not tell. */
async function isOver(
  steamId: string,
  { capacity }: Game,
  more: number,
  held: SteamAnswer<number | null>,
  { countSlots }: Explanations,
): Promise<boolean> {
  if (more === 0 || capacity === null || !held.ok || held.value === null) return false;
  if (capacity !== 'perAccount') return held.value + more > capacity;
  const slots = await countSlots(steamId);
  return slots.ok && held.value + more > slots.value;
}
