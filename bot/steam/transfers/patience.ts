import { steadyMs } from '#platform/steady-time.ts';

/**
 * Tracks how long this process has waited for each of several things, and when it tries them again. Steady
 * time.
 */
export class Patience {
  readonly #sinceMs = new Map<string, number>();
  readonly #pauses = new Map<string, { untilMs: number; lengthMs: number }>();

  /** Returns whether the wait has lasted this long; the first call begins it. */
  isOver(what: string, afterMs: number): boolean {
    this.#sinceMs.set(what, this.#sinceMs.get(what) ?? steadyMs());
    return this.ageMs(what) >= afterMs;
  }

  /** Milliseconds since the wait began; 0 if it has not. */
  ageMs(what: string): number {
    return steadyMs() - (this.#sinceMs.get(what) ?? steadyMs());
  }

  /**
   * Begins a pause. The first lasts `firstMs`, each later one twice as long as the last, up to `longestMs`.
   */
  pause(what: string, { firstMs, longestMs }: { firstMs: number; longestMs: number }): void {
    const last = this.#pauses.get(what);
    const lengthMs = last ? Math.min(2 * last.lengthMs, longestMs) : firstMs;
    this.#pauses.set(what, { untilMs: steadyMs() + lengthMs, lengthMs });
  }

  isPaused(what: string): boolean {
    return this.leftMs(what) > 0;
  }

  /** Milliseconds until the pause ends; 0 if there is none. */
  leftMs(what: string): number {
    return Math.max(0, (this.#pauses.get(what)?.untilMs ?? 0) - steadyMs());
  }

  end(what: string): void {
    this.#sinceMs.delete(what);
    this.#pauses.delete(what);
  }
}
