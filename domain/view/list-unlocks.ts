import { and, asc, count, eq, gt, lte, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { statement } from '#db/statement.ts';

const readUnlocks = statement('unlocks', (q) =>
  q
    .select({ atMs: items.lockedUntilMs, items: count() })
    .from(items)
    .where(
      and(
        eq(items.ownerId, sql.placeholder('ownerId')),
        is(items.state, 'held'),
        gt(items.lockedUntilMs, sql.placeholder('nowMs')),
        lte(items.lockedUntilMs, sql.placeholder('untilMs')),
      ),
    )
    .groupBy(items.lockedUntilMs)
    .orderBy(asc(items.lockedUntilMs)),
);

/**
 * Lists the times, up to a moment, at which a streamer's locked items become usable, and how many each time.
 */
export async function listUnlocks(
  { read }: Database,
  { ownerId, untilMs }: { ownerId: string; untilMs: number },
  nowMs: number,
): Promise<{ atMs: number; items: number }[]> {
  const rows = await readUnlocks(read, { ownerId, nowMs, untilMs });
  return rows.map((row) => ({ atMs: row.atMs, items: Number(row.items) }));
}
