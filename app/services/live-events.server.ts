import { type EventFollower, followEvents } from '#domain/outbox/follow-events.ts';
import type { LiveEvent } from '#domain/outbox/read-events.ts';
import { database } from './database.server.ts';
import { processLog } from './logger.server.ts';

const POLL_MS = 500;

type Listener = (event: LiveEvent) => void;

/**
 * The only reader of the events table in this process. It polls while there are listeners, and passes each event to
 * the listeners of its user.
 */
class LiveEvents {
  readonly #listeners = new Map<string, Set<Listener>>();
  #follower: EventFollower | null = null;
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
      this.#follower ??= followEvents(await database());
      // Events from before the first listener are skipped.
      if (first) await this.#follower.begin(performance.now());
      else await this.#follower.readOn(performance.now(), (event) => this.#hand(event));
    } catch (error) {
      processLog.warn({ err: error }, 'could not read events; retrying');
    }
    if (this.#listeners.size > 0) this.#schedule(false);
    else this.#timer = null;
  }

  #hand(event: LiveEvent): void {
    for (const listener of this.#listeners.get(event.userId) ?? []) listener(event);
  }
}

const liveEvents = new LiveEvents();

/** Subscribes to a user's events from now on. Returns a function that unsubscribes. */
export const listenFor = (userId: string, listener: Listener): (() => void) =>
  liveEvents.listen(userId, listener);

/** The number of a user's listeners in this process. */
export const countListeners = (userId: string): number => liveEvents.count(userId);
