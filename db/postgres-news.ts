/** What a statement sees, as `pg_current_snapshot()` words it: the transactions before `end`, but for those in progress. */
interface Snapshot {
  end: bigint;
  inProgress: ReadonlySet<bigint>;
}

function readSnapshot(text: string): Snapshot {
  const [, end = '', inProgress = ''] = text.split(':');
  return { end: BigInt(end), inProgress: new Set(inProgress.split(',').filter(Boolean).map(BigInt)) };
}

/**
 * Counts how often some transaction ended between two snapshots that is not among those to be ignored. One of another
 * database of the server counts too, and costs one look.
 */
export function countNews() {
  const ignored = new Set<bigint>();
  let last: Snapshot | null = null;
  let count = 0;

  /** Whether any number in a range is neither ignored nor still in progress. */
  const anyNew = (from: bigint, { end, inProgress }: Snapshot): boolean => {
    for (let number = from; number < end; number++)
      if (!ignored.has(number) && !inProgress.has(number)) return true;
    return false;
  };

  return {
    ignore(number: string | null): void {
      if (number) ignored.add(BigInt(number));
    },
    /** Differs from what it answered to an earlier snapshot if there are news since. */
    count(text: string): string {
      const now = readSnapshot(text);
      const before = last ?? now;
      const ended = [...before.inProgress].filter((number) => !now.inProgress.has(number));
      if (ended.some((number) => !ignored.has(number)) || anyNew(before.end, now)) count++;
      // Two connections may answer out of order: then something is counted twice, and nothing is missed.
      last = now;
      for (const number of ignored)
        if (number < now.end && !now.inProgress.has(number)) ignored.delete(number);
      return String(count);
    },
  };
}
