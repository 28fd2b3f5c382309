/** What was done, how often, and how it ended. */
export class Tally {
  readonly #counts = new Map<string, number>();

  note(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  count = (what: string): number => this.#counts.get(what) ?? 0;

  /** By name, in alphabetical order. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => a.localeCompare(b)));
  }
}
