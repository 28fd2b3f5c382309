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

const FRESH_MS = 60_000;
/** Who asks for a fresh reading gets one this often at most. */
const REFRESH_MS = 10_000;
const MAX_KEPT = 200;

/** Reads people's inventories through whichever bot is ready: kept for a minute, and never read twice at once. */
export class InventoryReader {
  readonly #accounts: () => readonly SteamAccount[];
  readonly #now: () => number;
  readonly #kept = new Map<string, ReadInventory>();
  readonly #flights = new Map<string, Promise<SteamAnswer<ReadInventory>>>();
  #turn = 0;

  constructor(accounts: () => readonly SteamAccount[], now: () => number = Date.now) {
    this.#accounts = accounts;
    this.#now = now;
  }

  async read(query: InventoryQuery, { refresh = false } = {}): Promise<SteamAnswer<ReadInventory>> {
    const key = `${query.steamId}/${query.appId}/${query.contextId}`;
    const kept = this.#kept.get(key);
    if (kept && this.#now() - kept.readAtMs < (refresh ? REFRESH_MS : FRESH_MS))
      return { ok: true, value: kept };
    const flying = this.#flights.get(key);
    if (flying) return flying;
    const flight = this.#fetch(query, key).finally(() => this.#flights.delete(key));
    this.#flights.set(key, flight);
    return flight;
  }

  async #fetch(query: InventoryQuery, key: string): Promise<SteamAnswer<ReadInventory>> {
    const accounts = this.#accounts();
    const account = accounts[this.#turn++ % Math.max(1, accounts.length)];
    if (!account) return failure('steamUnavailable', 'later', 'no bot is ready');
    const readAtMs = this.#now();
    const items = await account.inventory(query.steamId, query.appId, query.contextId);
    if (!items.ok) return items;
    const reading = { items: items.value, readAtMs };
    this.#kept.delete(key);
    this.#kept.set(key, reading);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return { ok: true, value: reading };
  }
}
