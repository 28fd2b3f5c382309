import { AccountShares } from '#bot/steam/account-shares.ts';
import type { InventoryItem, SteamAccount, SteamAnswer, SteamFailure } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { inventoryReads } from '#domain/budget/budgets.ts';
import { hour, second } from '#domain/kernel/time.ts';
import { steadyMs } from '#platform/steady-time.ts';

export interface InventoryQuery {
  /** The user of this site for whom it is read. */
  userId: string;
  steamId: string;
  appId: number;
  contextId: string;
}
export interface ReadInventory {
  items: readonly InventoryItem[];
  readAtMs: number;
  /** Set for an earlier reading, returned because there is no turn for another one now. */
  isPutOff?: true;
}
/** The account has read as often as it may. */
interface ReadTooOften {
  ok: false;
  code: 'readTooOften';
  waitMs: number;
}
type InventoryReading = SteamAnswer<ReadInventory> | ReadTooOften;

const CACHE_MS = 60_000;
/** The shortest time between two forced refreshes of one inventory. */
const MIN_REFRESH_MS = 10_000;
/** An earlier reading may be this old if it is returned because there is no turn for another one. */
const LAST_READING_MS = hour;
const MAX_CACHED = 200;
/** Longest wait for a turn at Steam, without and with an earlier reading to show instead. */
export const LONGEST_VISIT_MS = 12 * second;
const SHORT_VISIT_MS = 4 * second;
/** The size of one page of Steam's list; each page takes a turn. */
const PAGE_ITEMS = 1000;

interface Known {
  answer: { ok: true; value: ReadInventory } | SteamFailure;
  readAtMs: number;
}

/**
 * Reads inventories through any ready bot, cached for a minute. Concurrent requests share one read. Each user
 * has a share of the readings, and so has each Steam account: either may be connected to many of the other,
 * one after another. Beyond it, or while Steam refuses requests as too many, the last reading is returned.
 */
export class InventoryReader {
  readonly #accounts: () => readonly SteamAccount[];
  readonly #now: () => number;
  readonly #shares: AccountShares;
  readonly #cache = new Map<string, Known>();
  readonly #pending = new Map<string, Promise<InventoryReading>>();
  #nextAccount = 0;

  constructor(accounts: () => readonly SteamAccount[], now: () => number = steadyMs) {
    this.#accounts = accounts;
    this.#now = now;
    this.#shares = new AccountShares(inventoryReads, now);
  }

  async read(query: InventoryQuery, { refresh = false } = {}): Promise<InventoryReading> {
    const key = `${query.steamId}/${query.appId}/${query.contextId}`;
    const known = this.#cache.get(key);
    const ageMs = known ? this.#now() - known.readAtMs : Number.POSITIVE_INFINITY;
    // A user who has just made a private inventory public asks again at once.
    const enoughMs = !refresh ? CACHE_MS : known?.answer.ok ? MIN_REFRESH_MS : 0;
    if (known && ageMs < enoughMs) return known.answer;
    const last = known?.answer.ok && ageMs < LAST_READING_MS ? known.answer.value : null;
    const pending = this.#pending.get(key) ?? this.#fetch(query, key, last !== null);
    this.#pending.set(key, pending);
    const reading = await pending.finally(() => this.#pending.delete(key));
    const isPutOff = !reading.ok && (reading.code === 'readTooOften' || reading.code === 'steamBusy');
    return isPutOff && last ? { ok: true, value: { ...last, isPutOff } } : reading;
  }

  async #fetch(
    { userId, steamId, appId, contextId }: InventoryQuery,
    key: string,
    hasLast: boolean,
  ): Promise<InventoryReading> {
    const accounts = this.#accounts();
    const account = accounts[this.#nextAccount % Math.max(1, accounts.length)];
    if (!account) return failure('steamUnavailable', 'later', 'no bot is ready');
    const sharers = [userId, steamId];
    const { waitMs } = this.#shares.take(sharers);
    if (waitMs > 0) return { ok: false, code: 'readTooOften', waitMs };
    this.#nextAccount += 1;
    const readAtMs = this.#now();
    const visitor = { account: userId, maxWaitMs: hasLast ? SHORT_VISIT_MS : LONGEST_VISIT_MS };
    const items = await account.inventory(steamId, appId, contextId, visitor);
    if (!items.ok) {
      if (items.code === 'inventoryPrivate') this.#remember(key, { answer: items, readAtMs });
      return items;
    }
    this.#shares.charge(sharers, Math.floor(items.value.length / PAGE_ITEMS));
    const answer = { ok: true, value: { items: items.value, readAtMs } } as const;
    this.#remember(key, { answer, readAtMs });
    return answer;
  }

  #remember(key: string, known: Known): void {
    this.#cache.delete(key);
    this.#cache.set(key, known);
    const oldest = this.#cache.keys().next().value;
    if (this.#cache.size > MAX_CACHED && oldest !== undefined) this.#cache.delete(oldest);
  }
}
