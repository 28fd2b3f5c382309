import { gameOf, PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type { InventoryAnswer, OfferedAsset, SteamAccount, SteamAnswer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { amountOf } from '#domain/item/stackable.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** A reading of this age still shows whether an asset that only we can move is there. */
const FRESH_MS = 20_000;

type Reading = Promise<InventoryAnswer>;

/** One bot's own inventory, cached for a few seconds per game and context. */
export class OwnInventory {
  readonly #readings = new Map<string, { atMs: number; reading: Reading }>();
  readonly #isDoubted: (appId: number) => Promise<boolean>;

  /** `isDoubted` tells of a game whether a self-test has shown that Steam's answers cannot be relied on. */
  constructor(isDoubted: (appId: number) => Promise<boolean>) {
    this.#isDoubted = isDoubted;
  }

  /** Reads the inventory. While it is doubted, it counts as one of which a part cannot be read. */
  async read(account: SteamAccount, appId: number, contextId: string, maxAgeMs = FRESH_MS): Reading {
    const answer = await this.#read(account, appId, contextId, maxAgeMs);
    return answer.ok && !answer.isShort && (await this.#isDoubted(appId))
      ? { ...answer, isShort: true }
      : answer;
  }

  #read(account: SteamAccount, appId: number, contextId: string, maxAgeMs: number): Reading {
    const key = `${appId}/${contextId}`;
    const known = this.#readings.get(key);
    if (known && steadyMs() - known.atMs < maxAgeMs) return known.reading;
    const reading = account.inventory(account.steamId, appId, contextId).then((answer) => {
      if (!answer.ok || answer.isShort) this.#readings.delete(key);
      return answer;
    });
    this.#readings.set(key, { atMs: steadyMs(), reading });
    return reading;
  }

  /** Drops what was read before a trade was seen, or all: every trade outdates it. */
  clear(seenAtMs = Number.POSITIVE_INFINITY): void {
    for (const [key, { atMs }] of this.#readings) if (atMs <= seenAtMs) this.#readings.delete(key);
  }

  /**
   * Finds each asset's current context, which may have changed since the deposit. Fails for good when an asset is
   * missing or has another number of pieces, and for now when one is still protected or part of the inventory cannot be
   * read.
   */
  async locate(
    account: SteamAccount,
    wanted: readonly { appId: number; assetId: string; amount?: number }[],
  ): Promise<SteamAnswer<Required<OfferedAsset>[]>> {
    const located: Required<OfferedAsset>[] = [];
    for (const { appId, assetId, amount = 1 } of wanted) {
      const game = gameOf(appId);
      if (!game) return failure('itemUnavailable', 'never', `game ${appId} is not offered`);
      const items = await this.read(account, appId, game.contextId);
      if (!items.ok) return items;
      const open = items.value.find((item) => item.assetId === assetId);
      if (open && amountOf(open) !== amount)
        return failure('stackChanged', 'never', `asset ${assetId} has another amount than ${amount}`);
      if (open) {
        located.push({ appId, contextId: game.contextId, assetId, amount });
        continue;
      }
      const held = await this.read(account, appId, PROTECTED_CONTEXT);
      if (!held.ok) return held;
      if (held.value.some((item) => item.assetId === assetId))
        return failure('itemUnavailable', 'later', `asset ${assetId} is still protected`);
      if (items.isShort || held.isShort)
        return failure('steamUnavailable', 'later', `part of the inventory of game ${appId} is unreadable`);
      return failure('itemUnavailable', 'never', `asset ${assetId} is not in the inventory`);
    }
    return { ok: true, value: located };
  }
}
