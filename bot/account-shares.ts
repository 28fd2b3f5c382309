import type { Turns } from '#domain/budget/budgets.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The used part of each account's share; an entry is dropped once the account has its whole share again. */
export class AccountShares {
  readonly #turns: Turns;
  readonly #now: () => number;
  readonly #fullAtMs = new Map<string, number>();

  constructor(turns: Turns, now: () => number = steadyMs) {
    this.#turns = turns;
    this.#now = now;
  }

  /** Takes a turn from each of these accounts, or returns how long it takes until all of them have one. */
  take(accounts: readonly string[]): { waitMs: number } {
    const waitMs = this.waitMs(accounts);
    if (waitMs === 0) this.charge(accounts, 1);
    return { waitMs };
  }

  /** Returns how long it takes until all of these accounts have a turn; takes none. */
  waitMs(accounts: readonly string[]): number {
    const nowMs = this.#now();
    this.#clearIdle(nowMs);
    const { burst, gapMs } = this.#turns;
    const waits = accounts.map((account) => this.#fullAt(account, nowMs) - (burst - 1) * gapMs - nowMs);
    return Math.max(0, ...waits);
  }

  /** Takes further turns for something larger than expected, even below zero. */
  charge(accounts: readonly string[], turns: number): void {
    const nowMs = this.#now();
    for (const account of turns > 0 ? accounts : [])
      this.#fullAtMs.set(account, this.#fullAt(account, nowMs) + turns * this.#turns.gapMs);
  }

  #fullAt = (account: string, nowMs: number): number => Math.max(nowMs, this.#fullAtMs.get(account) ?? 0);

  #clearIdle(nowMs: number): void {
    for (const [account, fullAtMs] of this.#fullAtMs) if (fullAtMs <= nowMs) this.#fullAtMs.delete(account);
  }
}
