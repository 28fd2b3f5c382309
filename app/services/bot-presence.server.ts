import { processLog } from '#app/http/logger.server.ts';
import { findBotAway } from '#app/services/bot-away.server.ts';
import { database } from '#app/services/database.server.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** The interval at which it is checked, and the time over which open pages are notified, because they all reload then. */
const PACE = { pollMs: 2_000, spreadMs: 2_000 };

type Listener = () => void;

/** Reads what pages say of the bot: whether the claim clock stands still, and when its process is started again. */
async function readPresence(): Promise<string> {
  const outageMs = await getOutageMs((await database()).read, Date.now());
  return `${outageMs > 0} ${findBotAway()?.nextStartAtMs ?? ''}`;
}

/** Tells open pages that the bot went away or came back. Polls while somebody listens. */
export class BotPresence {
  readonly #read: () => Promise<string>;
  readonly #pace: typeof PACE;
  readonly #listeners = new Set<Listener>();
  #last: string | null = null;
  #isPolling = false;

  constructor(read: () => Promise<string>, pace = PACE) {
    this.#read = read;
    this.#pace = pace;
  }

  /** Calls the listener whenever the bot's presence changed. Returns a function that stops it. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (!this.#isPolling) {
      this.#isPolling = true;
      void outsideRequests(() => this.#poll());
    }
    return () => void this.#listeners.delete(listener);
  }

  async #poll(): Promise<void> {
    if (this.#listeners.size === 0) {
      this.#isPolling = false;
      return;
    }
    try {
      const presence = await this.#read();
      if (this.#last !== null && this.#last !== presence)
        for (const listener of this.#listeners) this.#notify(listener);
      this.#last = presence;
    } catch (error) {
      processLog.warn({ err: error }, 'could not read whether the bot is there; retrying');
    }
    setTimeout(() => void this.#poll(), this.#pace.pollMs).unref();
  }

  #notify(listener: Listener): void {
    const notify = () => this.#listeners.has(listener) && listener();
    setTimeout(notify, Math.random() * this.#pace.spreadMs).unref();
  }
}

export const botPresence = new BotPresence(readPresence);
