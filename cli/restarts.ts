/** More deaths than this within the window end everything: something is wrong that a restart does not fix. */
const MAX_DEATHS = 5;
const WINDOW_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 1000;

/** Decides whether a part that died is started again, and after which pause. */
export class Restarts {
  readonly #firstPauseMs: number;
  #deaths: { name: string; atMs: number }[] = [];

  constructor(firstPauseMs = FIRST_PAUSE_MS) {
    this.#firstPauseMs = firstPauseMs;
  }

  /**
   * Counts a death. The pause doubles with each death of the same part within five minutes; null after the fifth death
   * of any parts in that time.
   */
  pauseAfterDeath(name: string, nowMs: number): number | null {
    this.#deaths = [...this.#deaths.filter(({ atMs }) => nowMs - atMs < WINDOW_MS), { name, atMs: nowMs }];
    if (this.#deaths.length >= MAX_DEATHS) return null;
    const own = this.#deaths.filter((death) => death.name === name).length;
    return this.#firstPauseMs * 2 ** (own - 1);
  }
}
