import type { Turns } from '#domain/budget/budgets.ts';

/** The used part of each account's share; forgotten once it has all of it again. */
export class AccountShares {
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #fullAtMs = new Map<string, number>();

  constructor(turns: Turns, now: () => number = Date.now) {
    this.#turns = turns;
    this.#now = now;
  }

  /** Takes a turn, or says how long it takes until there is one. */
  take(account: string): { waitMs: number } {
    const nowMs = this.#now();
    this.#clearIdle(nowMs);
    const { burst, gapMs } = this.#turns;
    const fullAtMs = Math.max(nowMs, this.#fullAtMs.get(account) ?? 0);
    const waitMs = Math.max(0, fullAtMs - (burst - 1) * gapMs - nowMs);
    if (waitMs === 0) this.#fullAtMs.set(account, fullAtMs + gapMs);
    return { waitMs };
  }

  /** Takes further turns of what was larger than expected, even if that leaves less than none. */
  charge(account: string, turns: number): void {
    const fullAtMs = Math.max(this.#now(), this.#fullAtMs.get(account) ?? 0);
    if (turns > 0) this.#fullAtMs.set(account, fullAtMs + turns * this.#turns.gapMs);
  }

  #clearIdle(nowMs: number): void {
    for (const [account, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(account);
  }
}
