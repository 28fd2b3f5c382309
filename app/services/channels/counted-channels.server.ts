import { setImmediate as turn } from 'node:timers/promises';
import { processLog } from '#app/http/logger.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import {
  type CountedChannel,
  listCounted,
  type OfferedRule,
  readOffered,
} from '#domain/watch-time/list-counted.ts';
import { type Presence, readWatched } from '#domain/watch-time/read-presences.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** The interval at which channels are checked. Their time is counted once a minute. */
const POLL_MS = 3_000;
/** The viewers told in one turn of the event loop, so that a large channel holds up no request. */
const NOTIFIED_AT_ONCE = 250;

/** The facts of its viewer that a page gets when time was counted on a channel. */
export interface Counted {
  channelId: string;
  /** All seconds that they have ever watched on it. */
  seconds: number;
  presence: Presence;
  /** True if they have attended the running stream. */
  attended: boolean;
  /** The channel's live rules. */
  offered: readonly OfferedRule[];
}

interface Page {
  userId: string;
  notify: (counted: Counted) => void;
  /** Told that a channel went live or offline. */
  flip: (channelId: string) => void;
}

/**
 * Tells pages how much time their viewer has on a channel that they show, whenever it was counted there, and when the
 * channel goes live or offline. Every
 * viewer’s time grows at once, so there is no event for each of them, and one query reads it for hundreds. Polls while
 * somebody listens; what is counted while pages are being told is told in the next round.
 */
export class CountedChannels {
  readonly #open: () => Promise<Database>;
  readonly #pollMs: number;
  readonly #pages = new Map<string, Set<Page>>();
  #known = new Map<string, CountedChannel>();
  #isPolling = false;

  constructor(open: () => Promise<Database>, pollMs = POLL_MS) {
    this.#open = open;
    this.#pollMs = pollMs;
  }

  /** Tells a page whenever time was counted on one of these channels, or one flipped. Returns a function that stops it. */
  listen(page: Page, channelIds: readonly string[]): () => void {
    if (channelIds.length === 0) return () => {};
    const shown = new Set(channelIds);
    for (const id of shown) this.#pages.set(id, (this.#pages.get(id) ?? new Set()).add(page));
    if (!this.#isPolling) {
      this.#isPolling = true;
      this.#known.clear();
      void outsideRequests(() => this.#poll());
    }
    return () => {
      for (const id of shown) {
        const pages = this.#pages.get(id);
        pages?.delete(page);
        if (pages?.size === 0) this.#pages.delete(id);
      }
    };
  }

  async #poll(): Promise<void> {
    if (this.#pages.size === 0) {
      this.#isPolling = false;
      return;
    }
    try {
      const db = await this.#open();
      const channels = await listCounted(db, this.#pages.keys());
      await this.#notify(db, this.#changedOf(channels));
    } catch (error) {
      processLog.warn({ err: error }, 'could not read where watch time is counted; retrying');
    }
    setTimeout(() => void this.#poll(), this.#pollMs).unref();
  }

  /** The channels that changed since the last round, which is the first to know those that are new. */
  #changedOf(channels: readonly CountedChannel[]): { flipped: string[]; grown: string[] } {
    const before = this.#known;
    this.#known = new Map(channels.map((channel) => [channel.channelId, channel]));
    const idsOf = (changed: (was: CountedChannel, is: CountedChannel) => boolean) =>
      channels.flatMap((is) => {
        const was = before.get(is.channelId);
        return was && changed(was, is) ? [is.channelId] : [];
      });
    return {
      flipped: idsOf((was, is) => was.live !== is.live),
      grown: idsOf((was, is) => was.live && is.live && was.untilMs !== is.untilMs),
    };
  }

  async #notify(db: Database, { flipped, grown }: { flipped: string[]; grown: string[] }): Promise<void> {
    for (const channelId of flipped)
      for (const page of this.#pages.get(channelId) ?? []) page.flip(channelId);
    const offered = await readOffered(db, grown);
    const notified = grown.flatMap((channelId) =>
      [...(this.#pages.get(channelId) ?? [])].map((page) => ({ channelId, page })),
    );
    for (let first = 0; first < notified.length; first += NOTIFIED_AT_ONCE) {
      const some = notified.slice(first, first + NOTIFIED_AT_ONCE);
      const shown = some.map(({ channelId, page: { userId } }) => ({ channelId, userId }));
      const watched = new Map(
        (await readWatched(db.read, shown, await domainNow())).map((each) => [keyOf(each), each]),
      );
      for (const { channelId, page } of some) {
        const found = watched.get(keyOf({ channelId, userId: page.userId }));
        if (found && this.#pages.get(channelId)?.has(page))
          page.notify({
            channelId,
            seconds: found.seconds,
            presence: found.presence,
            attended: found.attendedFromSeconds !== null,
            offered: offered.get(channelId) ?? [],
          });
      }
      await turn();
    }
  }
}

const keyOf = ({ userId, channelId }: { userId: string; channelId: string }) => `${channelId} ${userId}`;

export const countedChannels = new CountedChannels(database);
