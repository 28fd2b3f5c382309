import type { Actor } from '../soak/actor.ts';

/** Connections are found to be broken, and made anew, for this long after their end. */
const AFTERMATH_MS = 20_000;
/** HAProxy's words for “not now”. */
const passing: readonly number[] = [502, 503, 504];
/** The product's own. */
const itself: readonly string[] = ['timedOut', 'unavailable'];

/** The times in which the database, or what leads to it, is away. An answer without an effect is none then. */
export class Outages {
  #underWay = 0;
  #lastUntilMs = 0;

  get isOn(): boolean {
    return this.#underWay > 0 || Date.now() < this.#lastUntilMs;
  }

  /** Returns whether an answer is no fault of the product's now. One with a code is its own, as when Steam is busy. */
  explain = (status: number, code: string | null): boolean =>
    (passing.includes(status) && (code === null || itself.includes(code))) || (status === 500 && this.isOn);

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      this.#lastUntilMs = Date.now() + AFTERMATH_MS;
    }
  }

  /** Lets an actor go on although our own connection to the database broke. */
  spare = (actor: Actor): Actor => ({
    ...actor,
    act: async () => {
      const wasOn = this.isOn;
      try {
        await actor.act();
      } catch (error) {
        if (!wasOn && !this.isOn) throw error;
      }
    },
  });
}
