import { processLog } from '#app/http/logger.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { listCounted } from '#domain/watch-time/list-counted.ts';
import { outsideRequests } from '#platform/request-id.ts';

/**
 * The interval at which channels are checked, and the time over which the readers of one are notified,
 * because they all reload then.
 */
const PACE = { pollMs: 1_000, spreadMs: 3_000 };

type Listener = (channelId: string) => void;

/**
 * Tells pages that watch time was counted on a channel that they show. Every viewer’s time grows at once, so there is
 * no event for each of them. Polls while somebody listens.
 */
export class CountedChannels {
  readonly #open: () => Promise<Database>;
  readonly #pace: typeof PACE;
  readonly #listeners = new Map<Listener, ReadonlySet<string>>();
  #counted = new Map<string, number | null>();
  #isPolling = false;

  constructor(open: () => Promise<Database>, pace = PACE) {
    this.#open = open;
    this.#pace = pace;
  }

  /** Calls the listener whenever time was counted on one of these channels. Returns a function that stops it. */
  listen(channelIds: readonly string[], listener: Listener): () => void {
    if (channelIds.length === 0) return () => {};
    this.#listeners.set(listener, new Set(channelIds));
    if (!this.#isPolling) {
      this.#isPolling = true;
      this.#counted.clear();
      void outsideRequests(() => this.#poll());
    }
    return () => this.#listeners.delete(listener);
  }

  async #poll(): Promise<void> {
    if (this.#listeners.size === 0) {
      this.#isPolling = false;
      return;
    }
    try {
      const shown = new Set([...this.#listeners.values()].flatMap((ids) => [...ids]));
      this.#report(await listCounted(await this.#open(), shown));
    } catch (error) {
      processLog.warn({ err: error }, 'could not read where watch time is counted; retrying');
    }
    setTimeout(() => void this.#poll(), this.#pace.pollMs).unref();
  }

  #report(channels: Awaited<ReturnType<typeof listCounted>>): void {
    const last = this.#counted;
    this.#counted = new Map(channels.map(({ channelId, untilMs }) => [channelId, untilMs]));
    const grown = channels.filter(({ channelId, untilMs }) => {
      const before = last.get(channelId);
      return before !== undefined && before !== untilMs;
    });
    for (const { channelId } of grown)
      for (const [listener, shown] of this.#listeners)
        if (shown.has(channelId)) this.#notify(listener, channelId);
  }

  #notify(listener: Listener, channelId: string): void {
    const notify = () => this.#listeners.has(listener) && listener(channelId);
    setTimeout(notify, Math.random() * this.#pace.spreadMs).unref();
  }
}

export const countedChannels = new CountedChannels(database);
