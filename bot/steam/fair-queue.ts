/**
 * A queue in which accounts take turns: each is served once before any is served again, however many requests
 * it has.
 */
export class FairQueue<T> {
  readonly #byAccount = new Map<string, T[]>();

  get size(): number {
    return this.#byAccount.size;
  }

  add(account: string, entry: T): void {
    const own = this.#byAccount.get(account);
    if (own) own.push(entry);
    else this.#byAccount.set(account, [entry]);
  }

  /** Takes the first entry of the account whose turn it is. */
  take(): T | undefined {
    for (const [account, [entry, ...rest]] of this.#byAccount) {
      this.#byAccount.delete(account);
      // The account goes back to the end of the line.
      if (rest.length > 0) this.#byAccount.set(account, rest);
      return entry;
    }
    return undefined;
  }

  /** Removes an entry, and returns whether it was still waiting. */
  remove(account: string, entry: T): boolean {
    const own = this.#byAccount.get(account) ?? [];
    const rest = own.filter((each) => each !== entry);
    if (rest.length === own.length) return false;
    if (rest.length === 0) this.#byAccount.delete(account);
    else this.#byAccount.set(account, rest);
    return true;
  }
}
