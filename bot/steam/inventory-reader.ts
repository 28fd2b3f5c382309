import type { InventoryItem, SteamAccount, SteamAnswer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';

export interface InventoryQuery {
  steamId: string;
  appId: number;
  contextId: string;
}
export interface ReadInventory {
  items: readonly InventoryItem[];
  readAtMs: number;
}

const CACHE_MS = 60_000;
/** The shortest time between two forced refreshes of one inventory. */
const MIN_REFRESH_MS = 10_000;
const MAX_CACHED = 200;

/** Reads inventories through any ready bot, cached for a minute. Concurrent requests share one read. */
export class InventoryReader {
  readonly #accounts: () => readonly SteamAccount[];
  readonly #now: () => number;
  readonly #cache = new Map<string, ReadInventory>();
  readonly #pending = new Map<string, Promise<SteamAnswer<ReadInventory>>>();
  #nextAccount = 0;

  constructor(accounts: () => readonly SteamAccount[], now: () => number = Date.now) {
    this.#accounts = accounts;
    this.#now = now;
  }

  async read(query: InventoryQuery, { refresh = false } = {}): Promise<SteamAnswer<ReadInventory>> {
    const key = `${query.steamId}/${query.appId}/${query.contextId}`;
    const cached = this.#cache.get(key);
    if (cached && this.#now() - cached.readAtMs < (refresh ? MIN_REFRESH_MS : CACHE_MS))
      return { ok: true, value: cached };
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const reading = this.#fetch(query, key).finally(() => this.#pending.delete(key));
    this.#pending.set(key, reading);
    return reading;
  }

  async #fetch(query: InventoryQuery, key: string): Promise<SteamAnswer<ReadInventory>> {
    const accounts = this.#accounts();
    const account = accounts[this.#nextAccount++ % Math.max(1, accounts.length)];
    if (!account) return failure('steamUnavailable', 'later', 'no bot is ready');
    const readAtMs = this.#now();
    const items = await account.inventory(query.steamId, query.appId, query.contextId);
    if (!items.ok) return items;
    const reading = { items: items.value, readAtMs };
    this.#cache.delete(key);
    this.#cache.set(key, reading);
    const oldest = this.#cache.keys().next().value;
    if (this.#cache.size > MAX_CACHED && oldest !== undefined) this.#cache.delete(oldest);
    return { ok: true, value: reading };
  }
}
