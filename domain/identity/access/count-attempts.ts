import { sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { bigint, lesser, numberAt, rowsOf } from '#db/dialect.ts';
import { attempts } from '#db/schema/access.ts';
import { statement } from '#db/statement.ts';

/** The attempts under a key that have counted in its window, from all processes, and the end of that window. */
export interface CountedAttempts {
  key: string;
  count: number;
  endsAtMs: number;
}

/** Over, too, is a window that a clock ahead of this one has stored: none that counts now can end later. */
const isOver = sql`(${attempts.endsAtMs} <= ${numberAt('systemMs')} or ${attempts.endsAtMs} > ${numberAt('systemMs')} + ${numberAt('windowMs')})`;

const addAttempts = statement('attempts_added', (tx) =>
  tx
    .insert(attempts)
    .select(
      sql`select added.key, added.count, added.ends_at_ms from ${rowsOf(sql.placeholder('added'), { key: 'text', count: 'bigint', ends_at_ms: 'bigint' }, 'added')} where ${bigint(1)} = 1` as never,
    )
    .onConflictDoUpdate({
      target: attempts.key,
      set: {
        count: sql`case when ${isOver} then excluded.count else ${attempts.count} + excluded.count end`,
        endsAtMs: sql`case when ${isOver} then excluded.ends_at_ms else ${lesser(attempts.endsAtMs, sql`excluded.ends_at_ms`)} end`,
      },
    })
    .returning(),
);

/**
 * Adds many attempts under several keys by one statement, each with the end of the window in which it was counted until
 * now, and returns how many each key has now. Its window, at most `windowMs` long, ends when the first of these does.
 * System time.
 */
export function countAttempts(
  db: Database,
  { added, windowMs }: { added: readonly CountedAttempts[]; windowMs: number },
  systemMs: number,
): Promise<CountedAttempts[]> {
  // Sorted, so that two processes do not wait for each other.
  const rows = added
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ key, count, endsAtMs }) => [key, count, endsAtMs]);
  return db.transaction((tx) => addAttempts(tx, { added: JSON.stringify(rows), windowMs, systemMs }));
}
