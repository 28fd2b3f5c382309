/** More deaths than this within the window end everything: something is wrong that a restart does not fix. */
const MAX_DEATHS = 5;
const WINDOW_MS = 5 * 60_000;
const FIRST_PAUSE_MS = 1000;
/** The longest pause before a part is started again without which the others go on. */
const MAX_PAUSE_MS = 10 * 60_000;

/** Decides whether a part that died is started again, and after which pause. */
export class Restarts {
  readonly #firstPauseMs: number;
  #deaths: { name: string; atMs: number }[] = [];
  readonly #failures = new Map<string, number>();

  constructor(firstPauseMs = FIRST_PAUSE_MS) {
    this.#firstPauseMs = firstPauseMs;
  }

  /**
   * Counts a death. The pause doubles with each death of the same part within five minutes; null after the fifth death
   * of any such parts in that time.
   */
  pauseAfterDeath(name: string, nowMs: number): number | null {
    this.#deaths = [...this.#deaths.filter(({ atMs }) => nowMs - atMs < WINDOW_MS), { name, atMs: nowMs }];
    if (this.#deaths.length >= MAX_DEATHS) return null;
    const own = this.#deaths.filter((death) => death.name === name).length;
    return this.#firstPauseMs * 2 ** (own - 1);
  }

  /**
   * Counts the death of a part without which the others go on. The pause doubles, up to ten minutes, with each death in
   * a row; one that had lived for five minutes begins a new row.
   */
  pauseAfterFailure(name: string, livedMs: number): { failures: number; pauseMs: number } {
    const failures = livedMs < WINDOW_MS ? (this.#failures.get(name) ?? 0) + 1 : 1;
    this.#failures.set(name, failures);
    return { failures, pauseMs: Math.min(this.#firstPauseMs * 2 ** (failures - 1), MAX_PAUSE_MS) };
  }
}
