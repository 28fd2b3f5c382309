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

interface Unshared {
  calls: number;
  /** End of the window in which this process counted them. System time. */
  endsAtMs: number;
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
  #unshared = new Map<string, Unshared>();
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
    this.#addUnshared(who, counted);
    return counted;
  }

  #addUnshared(who: string, { consumedPoints, msBeforeNext }: RateLimiterRes): void {
    const quiet = Math.floor(this.#limit.points * QUIET_PART);
    if (consumedPoints <= quiet) return;
    // The first one brings those that were too few to share, and begins anew after a window.
    const before = consumedPoints === quiet + 1 ? quiet : (this.#unshared.get(who)?.calls ?? 0);
    this.#unshared.set(who, { calls: before + 1, endsAtMs: Math.round(Date.now() + msBeforeNext) });
    if (this.#isDue) return;
    this.#isDue = true;
    outsideRequests(() => setTimeout(() => void this.#share(), this.#shareEveryMs).unref());
  }

  async #share(): Promise<void> {
    const systemMs = Date.now();
    // Calls in a window that is over would count in the next one.
    const shared = [...this.#unshared].filter(([, { endsAtMs }]) => endsAtMs > systemMs);
    this.#unshared = new Map();
    this.#isDue = false;
    if (shared.length === 0) return;
    const callers = new Map(shared.map(([who]) => [this.#keyOf(who), who]));
    const added = shared.map(([who, { calls, endsAtMs }]) => ({
      key: this.#keyOf(who),
      count: calls,
      endsAtMs,
    }));
    try {
      const { windowMs } = this.#limit;
      for (const { key, count, endsAtMs } of await countAttempts(
        await this.#open(),
        { added, windowMs },
        systemMs,
      )) {
        const who = callers.get(key) ?? key;
        const leftMs = Math.min(windowMs, endsAtMs - Date.now());
        // The window ended meanwhile.
        if (leftMs <= 0) continue;
        await this.#here.set(who, count + (this.#unshared.get(who)?.calls ?? 0), leftMs / second);
      }
    } catch (error) {
      processLog.warn({ err: error }, 'could not count the calls of other processes; counting here alone');
    }
  }
}
