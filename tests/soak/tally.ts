/** Counts actions by outcome. */
export class Tally {
  readonly #counts = new Map<string, number>();

  note(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  /** By name, in alphabetical order. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => a.localeCompare(b)));
  }
}
