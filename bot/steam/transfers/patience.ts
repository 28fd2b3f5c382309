/** How long this process has waited for each of several things. System time. */
export class Patience {
  readonly #sinceMs = new Map<string, number>();

  /** Whether it has been waited for this long; the first question begins the wait. */
  isOver(what: string, afterMs: number): boolean {
    const sinceMs = this.#sinceMs.get(what) ?? Date.now();
    this.#sinceMs.set(what, sinceMs);
    return Date.now() - sinceMs >= afterMs;
  }

  end(what: string): void {
    this.#sinceMs.delete(what);
  }
}
