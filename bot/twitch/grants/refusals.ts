import { minute } from '#domain/kernel/time.ts';

/**
 * Twitch may refuse what a grant allows for this long before its owner is asked to connect again. System
 * time.
 */
export const MAX_REFUSAL_MS = 15 * minute;

/**
 * Tracks since when Twitch has refused a channel's grant, separately for each kind of call. Twitch sometimes
 * refuses a single call by mistake; the next answer of the same kind then shows it.
 */
export function trackRefusals(now: () => number) {
  const sinceMs = new Map<string, number>();
  const keyOf = (channelId: string, path: string) => `${channelId} ${path}`;
  return {
    /** Records one answer to a call with a channel's grant. `path` is the endpoint's, without its query. */
    record(channelId: string, path: string, status: number): void {
      const key = keyOf(channelId, path);
      if (status !== 401 && status !== 403) sinceMs.delete(key);
      else if (!sinceMs.has(key)) sinceMs.set(key, now());
    },
    hasLasted: (channelId: string, path: string): boolean =>
      now() - (sinceMs.get(keyOf(channelId, path)) ?? now()) >= MAX_REFUSAL_MS,
    clear(channelId: string): void {
      for (const key of sinceMs.keys()) if (key.startsWith(`${channelId} `)) sinceMs.delete(key);
    },
  };
}
