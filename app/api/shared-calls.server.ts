import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { processLog } from '#app/http/logger.server.ts';
import type { Database } from '#db/database.ts';
import { countAttempts } from '#domain/identity/access/count-attempts.ts';
import { second } from '#domain/kernel/time.ts';
import { outsideRequests } from '#platform/request-id.ts';

/** The interval at which processes tell each other how many calls they admitted. */
const SHARE_EVERY_MS = second;
/** A caller with fewer calls than this part of the limit costs no write. */
const QUIET_PART = 0.1;

interface Limit {
  points: number;
  windowMs: number;
}

/**
 * Counts the calls of each caller over a window, in this process at once and across processes within a second: one
 * statement adds what all busy callers have called since the last one, and answers how often they called everywhere.
 */
export class SharedCalls {
  readonly #open: () => Promise<Database>;
  readonly #limit: Limit;
  readonly #shareEveryMs: number;
  readonly #keyOf: (who: string) => string;
  readonly #here: RateLimiterMemory;
  /** Calls that other processes do not know of yet. */
  #unshared = new Map<string, number>();
  #isDue = false;

  constructor(
    open: () => Promise<Database>,
    limit: Limit,
    { keyOf, shareEveryMs = SHARE_EVERY_MS }: { keyOf: (who: string) => string; shareEveryMs?: number },
  ) {
    this.#open = open;
    this.#limit = limit;
    this.#keyOf = keyOf;
    this.#shareEveryMs = shareEveryMs;
    this.#here = new RateLimiterMemory({ points: limit.points, duration: limit.windowMs / second });
  }

  /** Counts one call; rejects with the limiter's answer above the limit. */
  async consume(who: string): Promise<RateLimiterRes> {
    const counted = await this.#here.consume(who);
    this.#addUnshared(who, counted.consumedPoints);
    return counted;
  }

  #addUnshared(who: string, consumed: number): void {
    const quiet = Math.floor(this.#limit.points * QUIET_PART);
    if (consumed <= quiet) return;
    // The first one brings those that were too few to share.
    const more = consumed === quiet + 1 ? consumed : 1;
    this.#unshared.set(who, (this.#unshared.get(who) ?? 0) + more);
    if (this.#isDue) return;
    this.#isDue = true;
    outsideRequests(() => setTimeout(() => void this.#share(), this.#shareEveryMs).unref());
  }

  async #share(): Promise<void> {
    const shared = this.#unshared;
    this.#unshared = new Map();
    this.#isDue = false;
    const callers = new Map([...shared.keys()].map((who) => [this.#keyOf(who), who]));
    const added = new Map([...shared].map(([who, calls]) => [this.#keyOf(who), calls]));
    try {
      const systemMs = Date.now();
      const { windowMs } = this.#limit;
      for (const { key, count, endsAtMs } of await countAttempts(
        await this.#open(),
        { added, windowMs },
        systemMs,
      )) {
        const who = callers.get(key) ?? key;
        const leftSeconds = Math.max(1, Math.ceil((endsAtMs - systemMs) / second));
        await this.#here.set(who, count + (this.#unshared.get(who) ?? 0), leftSeconds);
      }
    } catch (error) {
      processLog.warn({ err: error }, 'could not count the calls of other processes; counting here alone');
    }
  }
}
