/** A parsed `pg_current_snapshot()`: transactions before `end`, except those in progress, are visible. */
interface Snapshot {
  end: bigint;
  inProgress: ReadonlySet<bigint>;
}

function readSnapshot(text: string): Snapshot {
  const [, end = '', inProgress = ''] = text.split(':');
  return { end: BigInt(end), inProgress: new Set(inProgress.split(',').filter(Boolean).map(BigInt)) };
}

/**
 * Counts snapshot changes caused by transactions other than the ignored ones. A transaction in another database of
 * the same server counts too and costs one extra read.
 */
export function countForeignCommits() {
  const ignored = new Set<bigint>();
  let last: Snapshot | null = null;
  let count = 0;

  /** Returns whether any transaction in a range has ended and is not ignored. */
  const anyNew = (from: bigint, { end, inProgress }: Snapshot): boolean => {
    for (let number = from; number < end; number++)
      if (!ignored.has(number) && !inProgress.has(number)) return true;
    return false;
  };

  return {
    ignore(number: string | null): void {
      if (number) ignored.add(BigInt(number));
    },
    /** Returns a value that changes when relevant transactions ended since the last snapshot. */
    count(text: string): string {
      const now = readSnapshot(text);
      const before = last ?? now;
      const ended = [...before.inProgress].filter((number) => !now.inProgress.has(number));
      if (ended.some((number) => !ignored.has(number)) || anyNew(before.end, now)) count++;
      // Connections may answer out of order: then a change is counted twice, but none is missed.
      last = now;
      for (const number of ignored)
        if (number < now.end && !now.inProgress.has(number)) ignored.delete(number);
      return String(count);
    },
  };
}
