import { AccountShares } from '#bot/account-shares.ts';
import type {
  InventoryItem,
  InventoryVisitor,
  SteamAccount,
  SteamAnswer,
  SteamFailure,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { inventoryReads } from '#domain/budget/budgets.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
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
  /** Set for the first pages of a large inventory. */
  part?: InventoryPart;
}
export interface InventoryPart {
  /** Number of assets in the whole inventory; null if Steam does not tell. */
  total: number | null;
  /** True while further pages are being read; false after one has failed. */
  isReading: boolean;
}
/** The account has read as often as it may. */
interface ReadTooOften {
  ok: false;
  code: 'readTooOften';
  waitMs: number;
}
type InventoryReading = SteamAnswer<ReadInventory> | ReadTooOften;

const CACHE_MS = 60_000;
/** A reading is used again for a minute for each page that it took, at most for this long. */
const MAX_CACHE_MS = 5 * minute;
/** The shortest time between two forced refreshes of one inventory. */
const MIN_REFRESH_MS = 10_000;
/** An earlier reading may be this old if it is returned because there is no turn for another one. */
const LAST_READING_MS = hour;
const MAX_CACHED = 200;
/** Longest wait for a turn at Steam, without and with an earlier reading to show instead. */
export const LONGEST_VISIT_MS = 12 * second;
const SHORT_VISIT_MS = 4 * second;
/** After this time the pages that have come are answered, while the others are read. */
const PATIENCE_MS = 5 * second;
/** The size of one page of Steam's list; each page takes a turn. */
const PAGE_ITEMS = 1000;

interface Known {
  answer: { ok: true; value: ReadInventory } | SteamFailure;
  readAtMs: number;
}

/** A reading under way. */
interface Pending {
  reading: Promise<InventoryReading>;
  /** Waits until there is something and the time to wait for all is over; then answers what has come. */
  firstPages(): Promise<InventoryReading>;
}

const pagesOf = (items: readonly InventoryItem[]) => Math.max(1, Math.ceil(items.length / PAGE_ITEMS));

const cacheMsOf = ({ items, part }: ReadInventory) =>
  part ? CACHE_MS : Math.min(pagesOf(items) * CACHE_MS, MAX_CACHE_MS);

/**
 * Reads inventories through any ready bot, cached for a minute, or longer if they are large. Of a large one the
 * pages that have come are answered while the others are read. Concurrent requests share one read. Each user
 * has a share of the readings, and so has each Steam account: either may be connected to many of the other,
 * one after another. Beyond it, or while Steam refuses requests as too many, the last reading is returned.
 */
export class InventoryReader {
  readonly #accounts: () => readonly SteamAccount[];
  readonly #now: () => number;
  readonly #patienceMs: number;
  readonly #shares: AccountShares;
  readonly #cache = new Map<string, Known>();
  readonly #pending = new Map<string, Pending>();
  #nextAccount = 0;

  constructor(
    accounts: () => readonly SteamAccount[],
    now: () => number = steadyMs,
    patienceMs: number = PATIENCE_MS,
  ) {
    this.#accounts = accounts;
    this.#now = now;
    this.#patienceMs = patienceMs;
    this.#shares = new AccountShares(inventoryReads, now);
  }

  async read(query: InventoryQuery, { refresh = false } = {}): Promise<InventoryReading> {
    const key = `${query.steamId}/${query.appId}/${query.contextId}`;
    const known = this.#cache.get(key);
    const ageMs = known ? this.#now() - known.readAtMs : Number.POSITIVE_INFINITY;
    // A user who has just made a private inventory public asks again at once.
    const cacheMs = known?.answer.ok ? cacheMsOf(known.answer.value) : CACHE_MS;
    const enoughMs = !refresh ? cacheMs : known?.answer.ok ? MIN_REFRESH_MS : 0;
    if (known && ageMs < enoughMs) return known.answer;
    const last = known?.answer.ok && ageMs < LAST_READING_MS ? known.answer.value : null;
    const { reading: whole, firstPages } = this.#pending.get(key) ?? this.#start(query, key, last !== null);
    const reading = await Promise.race([whole, firstPages()]);
    const isPutOff = !reading.ok && (reading.code === 'readTooOften' || reading.code === 'steamBusy');
    return isPutOff && last ? { ok: true, value: { ...last, isPutOff } } : reading;
  }

  /** Starts a reading that goes on after its first pages were answered. */
  #start(query: InventoryQuery, key: string, hasLast: boolean): Pending {
    const readAtMs = this.#now();
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    let sofar: ReadInventory = { items: [], readAtMs };
    const onPage = (items: readonly InventoryItem[], total: number | null) => {
      sofar = { items, readAtMs, part: { total, isReading: true } };
      begin();
    };
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, this.#patienceMs).unref();
    });
    const pending: Pending = {
      reading: this.#fetch(query, key, hasLast, onPage).finally(() => this.#pending.delete(key)),
      firstPages: () => Promise.all([late, begun]).then(() => ({ ok: true, value: sofar })),
    };
    // Its failure is answered to those who still wait for it.
    pending.reading.catch(() => {});
    this.#pending.set(key, pending);
    return pending;
  }

  async #fetch(
    { userId, steamId, appId, contextId }: InventoryQuery,
    key: string,
    hasLast: boolean,
    onPage: (items: readonly InventoryItem[], total: number | null) => void,
  ): Promise<InventoryReading> {
    const accounts = this.#accounts();
    const account = accounts[this.#nextAccount % Math.max(1, accounts.length)];
    if (!account) return failure('steamUnavailable', 'later', 'no bot is ready');
    const sharers = [userId, steamId];
    const { waitMs } = this.#shares.take(sharers);
    if (waitMs > 0) return { ok: false, code: 'readTooOften', waitMs };
    this.#nextAccount += 1;
    const readAtMs = this.#now();
    let total: number | null = null;
    const visitor: InventoryVisitor = {
      account: userId,
      maxWaitMs: hasLast ? SHORT_VISIT_MS : LONGEST_VISIT_MS,
      onPage(sofar, ofAll) {
        total = ofAll;
        onPage(sofar, ofAll);
      },
    };
    const items = await account.inventory(steamId, appId, contextId, visitor);
    if (!items.ok) {
      if (items.code === 'inventoryPrivate') this.#remember(key, { answer: items, readAtMs });
      return items;
    }
    this.#shares.charge(sharers, pagesOf(items.value) - 1);
    const part = items.isShort ? { part: { total, isReading: false } } : {};
    const answer = { ok: true, value: { items: items.value, readAtMs, ...part } } as const;
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
