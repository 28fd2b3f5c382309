import { sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { bigint, numberAt, rowsOf } from '#db/dialect.ts';
import { attempts } from '#db/schema/access.ts';
import { statement } from '#db/statement.ts';

/** The attempts under a key that have counted in its window, from all processes, and the end of that window. */
export interface CountedAttempts {
  key: string;
  count: number;
  endsAtMs: number;
}

const isOver = sql`${attempts.endsAtMs} <= ${numberAt('systemMs')}`;

const addAttempts = statement('attempts_added', (tx) =>
  tx
    .insert(attempts)
    .select(
      sql`select added.key, added.count, ${numberAt('systemMs')} + ${numberAt('windowMs')} from ${rowsOf(sql.placeholder('added'), { key: 'text', count: 'bigint' }, 'added')} where ${bigint(1)} = 1` as never,
    )
    .onConflictDoUpdate({
      target: attempts.key,
      set: {
        count: sql`case when ${isOver} then excluded.count else ${attempts.count} + excluded.count end`,
        endsAtMs: sql`case when ${isOver} then excluded.ends_at_ms else ${attempts.endsAtMs} end`,
      },
    })
    .returning(),
);

/**
 * Adds many attempts under several keys by one statement, and returns how many each has now. The first of a key starts
 * a window of `windowMs`. System time.
 */
export function countAttempts(
  db: Database,
  { added, windowMs }: { added: ReadonlyMap<string, number>; windowMs: number },
  systemMs: number,
): Promise<CountedAttempts[]> {
  // In one order everywhere, so that two processes do not wait for each other.
  const rows = [...added].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return db.transaction((tx) => addAttempts(tx, { added: JSON.stringify(rows), windowMs, systemMs }));
}
