import type { Database } from '#db/database.ts';
import { type LiveEvent, newestEventId, overlapBefore, readEvents } from '#domain/outbox/read-events.ts';
import { database } from './database.server.ts';
import { processLog } from './logger.server.ts';

const POLL_MS = 500;
const BATCH = 500;
/** Ids that were seen are kept this long at least: much longer than a poll looks back. */
const MOST_SEEN = 20_000;

type Listener = (event: LiveEvent) => void;

/**
 * The one reader of the events table in this process: it polls while somebody listens, and hands each event to the
 * listeners of its user. What commits late is found because every poll begins a little before the last event.
 */
class LiveEvents {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #seen = new Set<string>();
  #lastId: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  listen(userId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(userId) ?? new Set();
    this.#listeners.set(userId, listeners.add(listener));
    if (!this.#timer) this.#schedule(true);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(userId);
    };
  }

  count(userId: string): number {
    return this.#listeners.get(userId)?.size ?? 0;
  }

  #schedule(first: boolean): void {
    const wait = first ? 0 : POLL_MS;
    this.#timer = setTimeout(() => void this.#poll(first), wait);
    this.#timer.unref();
  }

  async #poll(first: boolean): Promise<void> {
    try {
      const db = await database();
      if (first) await this.#begin(db);
      else await this.#readOn(db);
    } catch (error) {
      processLog.warn({ err: error }, 'events could not be read');
    }
    if (this.#listeners.size > 0) this.#schedule(false);
    else this.#timer = null;
  }

  /** What happened before anybody listened is nobody's news. */
  async #begin(db: Database): Promise<void> {
    this.#seen.clear();
    this.#lastId = await newestEventId(db);
    if (this.#lastId === null) return;
    for (const { id } of await readAll(db, overlapBefore(this.#lastId))) this.#seen.add(id);
  }

  async #readOn(db: Database): Promise<void> {
    const from = this.#lastId === null ? null : overlapBefore(this.#lastId);
    for (const event of await readAll(db, from)) {
      if (this.#seen.has(event.id)) continue;
      this.#seen.add(event.id);
      if (this.#lastId === null || event.id > this.#lastId) this.#lastId = event.id;
      for (const listener of this.#listeners.get(event.userId) ?? []) listener(event);
    }
    this.#forget();
  }

  /** The oldest first: a set keeps the order in which it was filled. */
  #forget(): void {
    let surplus = this.#seen.size - MOST_SEEN;
    for (const id of this.#seen) {
      if (surplus-- <= 0) return;
      this.#seen.delete(id);
    }
  }
}

async function readAll(db: Database, from: string | null): Promise<LiveEvent[]> {
  const all: LiveEvent[] = [];
  for (let afterId = from; ; ) {
    const batch = await readEvents(db, { afterId, most: BATCH });
    all.push(...batch);
    const last = batch.at(-1);
    if (batch.length < BATCH || !last) return all;
    afterId = last.id;
  }
}

const liveEvents = new LiveEvents();

/** Follows what happens to a user, from now on. Answers how to stop. */
export const listenFor = (userId: string, listener: Listener): (() => void) =>
  liveEvents.listen(userId, listener);

/** How many follow a user in this process. */
export const countListeners = (userId: string): number => liveEvents.count(userId);
