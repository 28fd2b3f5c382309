/** The used part of a cache. */
export interface CacheUse {
  name: string;
  entries: number;
  max: number;
}

/**
 * A Map keeps the order of insertion: a used entry moves to its end, so the first one is the least recently
 * used.
 */
class BoundedCache<Key, Value> {
  readonly max: number;
  readonly #entries = new Map<Key, Value>();

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }

  /** Lists the keys, the least recently used one first. */
  keys(): Key[] {
    return [...this.#entries.keys()];
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.size > this.max && oldest !== undefined) this.#entries.delete(oldest);
  }
}

const caches = new Map<string, BoundedCache<unknown, unknown>>();

/**
 * Makes a cache that drops the least recently used entry. Values that a request names, such as time zones or
 * addresses, are cached in one of these, because a visitor with many different values could otherwise fill
 * the memory. It is our own, because formatters are cached in browsers too, where the smallest package for it
 * is too large.
 */
export function boundedCache<Key, Value>(name: string, max: number): BoundedCache<Key, Value> {
  const cache = new BoundedCache<Key, Value>(max);
  caches.set(name, cache as BoundedCache<unknown, unknown>);
  return cache;
}

/** The caches of this process. */
export const cacheUses = (): CacheUse[] =>
  [...caches].map(([name, { size, max }]) => ({ name, entries: size, max }));
