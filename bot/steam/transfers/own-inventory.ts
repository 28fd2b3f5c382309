import { gameOf } from '#bot/steam/games.ts';
import type { AssetName, InventoryItem, SteamAccount, SteamAnswer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';

/** A reading this old still tells whether an asset that we alone can move is there. */
const FRESH_MS = 20_000;

type Reading = Promise<SteamAnswer<readonly InventoryItem[]>>;

/** One bot's own inventory, read at most every few seconds per game and context. */
export class OwnInventory {
  readonly #readings = new Map<string, { atMs: number; reading: Reading }>();

  read(account: SteamAccount, appId: number, contextId: string, oldestMs = FRESH_MS): Reading {
    const key = `${appId}/${contextId}`;
    const known = this.#readings.get(key);
    if (known && Date.now() - known.atMs < oldestMs) return known.reading;
    const reading = account.inventory(account.steamId, appId, contextId).then((answer) => {
      if (!answer.ok) this.#readings.delete(key);
      return answer;
    });
    this.#readings.set(key, { atMs: Date.now(), reading });
    return reading;
  }

  /** After a trade nothing read before is true any more. */
  clear(): void {
    this.#readings.clear();
  }

  /**
   * The assets as they can be given now: an asset may have changed its context since its deposit. Refused for good when
   * one is gone, for later when it is still protected.
   */
  async locate(
    account: SteamAccount,
    wanted: readonly { appId: number; assetId: string }[],
  ): Promise<SteamAnswer<AssetName[]>> {
    const located: AssetName[] = [];
    for (const { appId, assetId } of wanted) {
      const game = gameOf(appId);
      if (!game) return failure('itemUnavailable', 'never', `game ${appId} is not offered`);
      const items = await this.read(account, appId, game.contextId);
      if (!items.ok) return items;
      if (items.value.some((item) => item.assetId === assetId)) {
        located.push({ appId, contextId: game.contextId, assetId });
        continue;
      }
      if (game.protectedContextId) {
        const held = await this.read(account, appId, game.protectedContextId);
        if (!held.ok) return held;
        if (held.value.some((item) => item.assetId === assetId))
          return failure('itemUnavailable', 'later', `asset ${assetId} is still protected`);
      }
      return failure('itemUnavailable', 'never', `asset ${assetId} is not in the inventory`);
    }
    return { ok: true, value: located };
  }
}
