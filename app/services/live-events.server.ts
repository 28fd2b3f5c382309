import { setTimeout as pause } from 'node:timers/promises';
import { processLog } from '#app/http/logger.server.ts';
import { type EventFollower, followEvents } from '#domain/outbox/follow-events.ts';
import type { LiveEvent } from '#domain/outbox/read-events.ts';
import { outsideRequests } from '#platform/request-id.ts';
import { database } from './database.server.ts';

const POLL_MS = 500;

type Listener = (event: LiveEvent) => void;

/** After `begun`, no event is missed. */
export type Listening = { begun: Promise<void>; stop: () => void };

/**
 * The only reader of the events table in this process. It polls while there are listeners, and passes each event to
 * the listeners of its user.
 */
class LiveEvents {
  readonly #listeners = new Map<string, Set<Listener>>();
  #follower: EventFollower | null = null;
  #begun: Promise<void> | null = null;

  listen(userId: string, listener: Listener): Listening {
    const listeners = this.#listeners.get(userId) ?? new Set();
    this.#listeners.set(userId, listeners.add(listener));
    this.#begun ??= outsideRequests(() => this.#begin());
    const stop = () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(userId);
    };
    return { begun: this.#begun, stop };
  }

  /** Events from before the first listener are skipped. */
  async #begin(): Promise<void> {
    while (!(await this.#read((follower) => follower.begin(performance.now()))))
      await pause(POLL_MS, undefined, { ref: false });
    this.#schedule();
  }

  #schedule(): void {
    setTimeout(() => void this.#poll(), POLL_MS).unref();
  }

  async #poll(): Promise<void> {
    await this.#read((follower) => follower.readOn(performance.now(), (event) => this.#hand(event)));
    if (this.#listeners.size > 0) this.#schedule();
    else this.#begun = null;
  }

  async #read(read: (follower: EventFollower) => Promise<void>): Promise<boolean> {
    try {
      this.#follower ??= followEvents(await database());
      await read(this.#follower);
      return true;
    } catch (error) {
      processLog.warn({ err: error }, 'could not read events; retrying');
      return false;
    }
  }

  #hand(event: LiveEvent): void {
    for (const listener of this.#listeners.get(event.userId) ?? []) listener(event);
  }
}

const liveEvents = new LiveEvents();

/** Subscribes to a user's events. Those from before `begun` may be missed. */
export const listenFor = (userId: string, listener: Listener): Listening =>
  liveEvents.listen(userId, listener);
