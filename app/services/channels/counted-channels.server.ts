import { setImmediate as turn } from 'node:timers/promises';
import { processLog } from '#app/http/logger.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { ATTENDED_AFTER_SECONDS } from '#domain/condition/attendance.ts';
import { second } from '#domain/kernel/time.ts';
import { listCounted } from '#domain/watch-time/list-counted.ts';
import { type Presence, readWatched, type Watched } from '#domain/watch-time/read-presences.ts';
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
  /** True if they attended the stream with this time, which changes more than the page is told. */
  isStamped: boolean;
}

interface Page {
  userId: string;
  notify: (counted: Counted) => void;
}

interface Grown {
  channelId: string;
  seconds: number;
}

/**
 * Tells pages how much time their viewer has on a channel that they show, whenever it was counted there. Every
 * viewer’s time grows at once, so there is no event for each of them, and one query reads it for hundreds. Polls while
 * somebody listens; what is counted while pages are being told is told in the next round.
 */
export class CountedChannels {
  readonly #open: () => Promise<Database>;
  readonly #pollMs: number;
  readonly #pages = new Map<string, Set<Page>>();
  #counted = new Map<string, number | null>();
  #isPolling = false;

  constructor(open: () => Promise<Database>, pollMs = POLL_MS) {
    this.#open = open;
    this.#pollMs = pollMs;
  }

  /** Tells whenever time was counted on one of these channels. Returns a function that stops it. */
  listen(userId: string, channelIds: readonly string[], notify: Page['notify']): () => void {
    if (channelIds.length === 0) return () => {};
    const page = { userId, notify };
    const shown = new Set(channelIds);
    for (const id of shown) this.#pages.set(id, (this.#pages.get(id) ?? new Set()).add(page));
    if (!this.#isPolling) {
      this.#isPolling = true;
      this.#counted.clear();
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
      await this.#notify(db, this.#grownOf(await listCounted(db, this.#pages.keys())));
    } catch (error) {
      processLog.warn({ err: error }, 'could not read where watch time is counted; retrying');
    }
    setTimeout(() => void this.#poll(), this.#pollMs).unref();
  }

  /** The channels whose time grew since the last round, which is the first to know those that are new. */
  #grownOf(channels: Awaited<ReturnType<typeof listCounted>>): Grown[] {
    const last = this.#counted;
    this.#counted = new Map(channels.map(({ channelId, untilMs }) => [channelId, untilMs]));
    return channels.flatMap(({ channelId, untilMs }) => {
      const before = last.get(channelId);
      if (before === undefined || before === untilMs) return [];
      return [{ channelId, seconds: ((untilMs ?? 0) - (before ?? untilMs ?? 0)) / second }];
    });
  }

  async #notify(db: Database, grown: readonly Grown[]): Promise<void> {
    const notified = grown.flatMap(({ channelId, seconds }) =>
      [...(this.#pages.get(channelId) ?? [])].map((page) => ({ channelId, seconds, page })),
    );
    for (let first = 0; first < notified.length; first += NOTIFIED_AT_ONCE) {
      const some = notified.slice(first, first + NOTIFIED_AT_ONCE);
      const shown = some.map(({ channelId, page: { userId } }) => ({ channelId, userId }));
      const watched = new Map(
        (await readWatched(db.read, shown, await domainNow())).map((each) => [keyOf(each), each]),
      );
      for (const { channelId, seconds, page } of some) {
        const found = watched.get(keyOf({ channelId, userId: page.userId }));
        if (found && this.#pages.get(channelId)?.has(page))
          page.notify({
            channelId,
            seconds: found.seconds,
            presence: found.presence,
            isStamped: isStamped(found, seconds),
          });
      }
      await turn();
    }
  }
}

const keyOf = ({ userId, channelId }: { userId: string; channelId: string }) => `${channelId} ${userId}`;

/** Returns whether the last seconds of their time were those with which they attended the stream. */
function isStamped({ seconds, attendedFromSeconds }: Watched, lastSeconds: number): boolean {
  if (attendedFromSeconds === null) return false;
  return seconds - lastSeconds < attendedFromSeconds + ATTENDED_AFTER_SECONDS;
}

export const countedChannels = new CountedChannels(database);
