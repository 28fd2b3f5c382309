import type { BotDeps } from '#bot/deps.ts';
import {
  type ReportedPoints,
  refilledPoints,
  reportPoints,
  type TokenOwner,
} from '#bot/twitch/pace/points-left.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Twitch refused bursts of a hundred requests although points were left. */
const MAX_CONCURRENT = 10;
/** A bucket refills within a minute; this bounds the wait when the clocks differ. Steady time, like all waits here. */
const MAX_HOLD_MS = 65_000;
/** A call may wait this long for its turn; otherwise it fails at once and can be retried later. */
const MAX_WAIT_MS = 20_000;
/** Used when a refusal does not say how long to wait. */
const DEFAULT_HOLD_MS = 5000;
const MAX_ATTEMPTS = 3;
/** Patient calls leave at least this many points to the others. */
const RESERVE = 100;
/** A patient call checks at this interval whether it is its turn. */
const PATIENCE_MS = 100;
/** A timer may fire this much early. */
const TIMER_SLACK_MS = 2;

/** Does not keep the process alive. */
const delay = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

type Log = Pick<BotDeps['log'], 'warn'>;

/**
 * The rate limit of one token, as reported by Twitch (`Ratelimit-Limit`, `-Remaining`, `-Reset`). Calls wait in order;
 * an empty bucket holds up only its own token's calls until Twitch says it is full again. Patient calls wait for all
 * others, keep a minimum interval in milliseconds, and never use the bucket up.
 */
export class TokenBucket {
  readonly #log: Log;
  #left = Number.POSITIVE_INFINITY;
  readonly #owner: TokenOwner;
  #reported: ReportedPoints = { left: Number.POSITIVE_INFINITY, limit: 0, atMs: 0, fullAtMs: 0 };
  #heldUntilMs = 0;
  #underWay = 0;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();
  #lastPatient: Promise<void> = Promise.resolve();
  #patientAtMs = Number.NEGATIVE_INFINITY;
  #freed: () => void = () => {};

  constructor(log: Log, owner: TokenOwner = 'account') {
    this.#log = log;
    this.#owner = owner;
  }

  /** Makes a call when it is its turn, and retries it when Twitch says the bucket is empty. */
  async spend(call: () => Promise<Response>, patientEveryMs: number | null = null): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      if (patientEveryMs !== null) await this.#patientTurn(patientEveryMs);
      await this.#turn();
      this.#underWay += 1;
      this.#left -= 1;
      let response: Response;
      try {
        response = await call();
      } finally {
        this.#underWay -= 1;
        this.#freed();
      }
      this.#learn(response);
      if (!wasEmpty(response) || attempt >= MAX_ATTEMPTS) return response;
    }
  }

  /** First come, first served. */
  #turn(): Promise<void> {
    this.#waiting += 1;
    const turn = this.#last.then(() => this.#wait()).finally(() => (this.#waiting -= 1));
    this.#last = turn.catch(() => {});
    return turn;
  }

  #patientTurn(everyMs: number): Promise<void> {
    this.#lastPatient = this.#lastPatient.then(async () => {
      const soonestMs = this.#patientAtMs + everyMs;
      await delay(Math.max(0, soonestMs - steadyMs()));
      while (this.#waiting > 0 || refilledPoints(this.#reported, steadyMs()) <= RESERVE)
        await delay(PATIENCE_MS);
      this.#patientAtMs = steadyMs();
    });
    return this.#lastPatient;
  }

  async #wait(): Promise<void> {
    while (this.#underWay >= MAX_CONCURRENT) await new Promise<void>((resolve) => (this.#freed = resolve));
    const holdMs = this.#left > 0 ? 0 : this.#heldUntilMs - steadyMs();
    if (holdMs > MAX_WAIT_MS) throw new TwitchFault('rateLimited', `no points for another ${holdMs} ms`);
    if (holdMs > 0) await delay(holdMs + TIMER_SLACK_MS);
    // Assume a full bucket; the next answer corrects this.
    if (this.#left <= 0) this.#left = Number.POSITIVE_INFINITY;
  }

  #learn(response: Response): void {
    const remaining = numberIn(response, 'ratelimit-remaining');
    const resetSeconds = numberIn(response, 'ratelimit-reset');
    const fullInMs = resetSeconds === null ? null : resetSeconds * 1000 - Date.now();
    const limit = numberIn(response, 'ratelimit-limit');
    if (remaining !== null && fullInMs !== null && limit !== null) {
      const atMs = steadyMs();
      this.#reported = { left: remaining, limit, atMs, fullAtMs: atMs + fullInMs };
      reportPoints(this.#owner, this, this.#reported);
    }
    if (wasEmpty(response)) this.#hold(fullInMs ?? DEFAULT_HOLD_MS);
    // Twitch may not have counted running requests yet, so they are subtracted again.
    else if (remaining !== null) this.#left = remaining - this.#underWay;
    if (this.#left <= 0 && fullInMs !== null) this.#hold(fullInMs);
  }

  #hold(forMs: number): void {
    const holdMs = Math.min(MAX_HOLD_MS, forMs);
    this.#left = 0;
    this.#heldUntilMs = steadyMs() + holdMs;
    this.#log.warn({ holdMs }, 'rate limit reached; waiting');
  }
}

/** Twitch also answers 429 for other limits; the bucket is empty only when no points are left. */
function wasEmpty(response: Response): boolean {
  return response.status === 429 && (numberIn(response, 'ratelimit-remaining') ?? 0) === 0;
}

function numberIn(response: Response, header: string): number | null {
  const text = response.headers.get(header);
  const value = Number(text);
  return text === null || text === '' || !Number.isFinite(value) ? null : value;
}
