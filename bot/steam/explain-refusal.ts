import { gameOf } from '#bot/steam/games.ts';
import type { AssetName, OfferRequest, SteamAnswer, SteamFailure } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';

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
  /** True if the account is banned from any game. */
  isGameBanned(steamId: string): Promise<SteamAnswer<boolean>>;
}

/**
 * Returns the true reason for a refusal with 15, as far as Steam tells it. The number means a dead link, a hidden
 * inventory, a ban from the game, or a receiver without room for more of its items (steamerrors.com/15, quoted in
 * halipso/php-steam-tradeoffers#19; TF2Autobot/tf2autobot#134). What cannot be read stays
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
  const banned = await reads.isGameBanned(request.partnerSteamId);
  return failure(banned.ok && banned.value ? 'gameBanned' : 'inventoryUnavailable', 'never', detail);
}

async function troubleOfInventories(
  { partnerSteamId, give, receive }: OfferRequest,
  { ownSteamId, countItems }: Explanations,
): Promise<'inventoryPrivate' | 'inventoryFull' | null> {
  for (const appId of new Set([...give, ...receive].map((asset) => asset.appId))) {
    const game = gameOf(appId);
    if (!game) continue;
    const theirs = await countItems(partnerSteamId, game);
    if (!theirs.ok && theirs.code === 'inventoryPrivate') return 'inventoryPrivate';
    const isOver = (held: SteamAnswer<number | null>, arriving: readonly AssetName[]) => {
      const more = arriving.filter((asset) => asset.appId === appId).length;
      return held.ok && more > 0 && game.capacity !== null && (held.value ?? 0) + more > game.capacity;
    };
    if (isOver(theirs, give)) return 'inventoryFull';
    if (receive.length > 0 && isOver(await countItems(ownSteamId, game), receive)) return 'inventoryFull';
  }
  return null;
}
