import { sql } from 'drizzle-orm';
import { leases, sharers } from '#db/schema/lease.ts';
import { processes } from '#db/schema/process.ts';
import { statement } from '#db/statement.ts';

/**
 * PostgreSQL's snapshot, and the transactions that wrote the rows of leases and processes last. Such a transaction writes
 * nothing else, and each of several processes has one every few seconds. One that gave a lease up is a change: others wait
 * for it.
 */
export const readRevision = statement('revision', (q) =>
  q
    .select({
      snapshot: sql<string>`pg_current_snapshot()::text`,
      heartbeats: sql<string | null>`(
        select string_agg(number, ',')
        from (
          select xmin::text from ${leases} where ${leases.holder} is not null
          union select xmin::text from ${sharers}
          union select xmin::text from ${processes}
        ) as beats(number)
      )`,
    })
    .from(sql`(select 1) as one`),
);

/** A parsed `pg_current_snapshot()`: transactions before `end`, except those in progress, are visible. */
interface Snapshot {
  end: bigint;
  inProgress: ReadonlySet<bigint>;
}

function readSnapshot(text: string): Snapshot {
  const [, end = '', inProgress = ''] = text.split(':');
  return { end: BigInt(end), inProgress: new Set(inProgress.split(',').filter(Boolean).map(BigInt)) };
}

/** A snapshot has transactions' whole numbers, a row (`xmin`) their last 32 bits. */
const ROW_BITS = 32;

/**
 * Counts snapshot changes caused by transactions other than the ignored ones. A transaction in another database of
 * the same server counts too and costs one extra read.
 */
export function countForeignCommits() {
  const ignored = new Set<bigint>();
  let last: Snapshot | null = null;
  let count = 0;

  /** Returns whether any transaction in a range has ended and is relevant. */
  const anyNew = (
    from: bigint,
    { end, inProgress }: Snapshot,
    isRelevant: (number: bigint) => boolean,
  ): boolean => {
    for (let number = from; number < end; number++)
      if (!inProgress.has(number) && isRelevant(number)) return true;
    return false;
  };

  return {
    ignore(number: string | null): void {
      if (number) ignored.add(BigInt(number));
    },
    /**
     * Returns a value that changes when relevant transactions ended since the last snapshot. `heartbeats` are the numbers,
     * as rows have them, of transactions of any process that are none.
     */
    count(text: string, heartbeats = ''): string {
      const now = readSnapshot(text);
      const beats = new Set(heartbeats.split(',').filter(Boolean).map(BigInt));
      const isRelevant = (number: bigint) =>
        !ignored.has(number) && !beats.has(BigInt.asUintN(ROW_BITS, number));
      const before = last ?? now;
      // A promoted standby may count on from an earlier number: what it has committed since is unknown.
      const isEarlier = now.end < before.end;
      const ended = [...before.inProgress].filter((number) => !now.inProgress.has(number));
      if (isEarlier || ended.some(isRelevant) || anyNew(before.end, now, isRelevant)) count++;
      // Connections may answer out of order: then a change is counted twice, but none is missed.
      last = now;
      for (const number of ignored)
        if (number < now.end && !now.inProgress.has(number)) ignored.delete(number);
      return String(count);
    },
  };
}
