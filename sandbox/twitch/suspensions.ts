import type { WorldEvent } from './world-state.ts';

/** The parts of the world that a suspension ends. */
interface Ends {
  tokens: { revokeUser(userId: string): void };
  goOffline(userId: string): void;
}

/**
 * Accounts that Twitch suspended. To an application a suspended account looks like a deleted one: no list
 * names it, its stream ends, and its EventSub subscriptions end with `user_removed`
 * (dev.twitch.tv/docs/api/reference, Get EventSub Subscriptions; alveusgg issue 450 meets both cases as one).
 * No documentation says whether its tokens die, so both can be ordered.
 */
export class Suspensions {
  readonly #ends: Ends;
  readonly #ids: Set<string>;
  readonly #changed: (event?: WorldEvent) => void;

  constructor(ends: Ends, saved: readonly string[], changed: (event?: WorldEvent) => void) {
    this.#ends = ends;
    this.#ids = new Set(saved);
    this.#changed = changed;
  }

  toJSON(): string[] {
    return [...this.#ids];
  }

  has(userId: string): boolean {
    return this.#ids.has(userId);
  }

  add(userId: string, { keepsTokens = false }: { keepsTokens?: boolean } = {}): void {
    this.#ids.add(userId);
    if (!keepsTokens) this.#ends.tokens.revokeUser(userId);
    this.#ends.goOffline(userId);
    this.#changed({ type: 'suspended', userId });
  }

  /** Ends a suspension; tokens that died stay dead. */
  lift(userId: string): void {
    if (this.#ids.delete(userId)) this.#changed();
  }
}
