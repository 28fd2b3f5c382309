import type { TwitchWorld } from './world.ts';
import type { WorldEvent } from './world-state.ts';

/**
 * Accounts that Twitch suspended. To an application a suspended account looks like a deleted one: no list names it, its
 * stream ends, and its EventSub subscriptions end with `user_removed` (dev.twitch.tv/docs/api/reference, Get EventSub
 * Subscriptions; alveusgg issue 450 meets both cases as one). Whether its tokens die is documented nowhere, so both can
 * be had.
 */
export class Suspensions {
  readonly #world: TwitchWorld;
  readonly #ids: Set<string>;
  readonly #changed: (event?: WorldEvent) => void;

  constructor(world: TwitchWorld, saved: readonly string[], changed: (event?: WorldEvent) => void) {
    this.#world = world;
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
    if (!keepsTokens) this.#world.tokens.revokeUser(userId);
    this.#world.goOffline(userId);
    this.#changed({ type: 'suspended', userId });
  }

  /** Ends a suspension; tokens that died stay dead. */
  lift(userId: string): void {
    if (this.#ids.delete(userId)) this.#changed();
  }
}
