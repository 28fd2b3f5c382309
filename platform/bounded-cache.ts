import QuickLRU from 'quick-lru';

/** How much of a cache is in use. */
export interface CacheUse {
  name: string;
  entries: number;
  max: number;
}

const caches = new Map<string, { readonly size: number; readonly maxSize: number }>();

/**
 * A cache that drops what was not used for longest. Whatever a request names, such as a time zone or an address, is kept
 * in one of these: otherwise a visitor with many different values would fill the memory.
 */
export function boundedCache<Key, Value>(name: string, max: number): QuickLRU<Key, Value> {
  const cache = new QuickLRU<Key, Value>({ maxSize: max });
  caches.set(name, cache);
  return cache;
}

/** The caches of this process. */
export const cacheUses = (): CacheUse[] =>
  [...caches].map(([name, { size, maxSize }]) => ({ name, entries: size, max: maxSize }));
