import { sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { tries } from '#db/schema/access.ts';

/**
 * Counts one try of what `key` names and answers how long its limit still bars it: 0 when it may go on. The first try
 * begins a window of `windowMs`; after `most` tries in it, the rest of it is barred. System time.
 */
export async function countTry(
  db: Database,
  limit: { key: string; most: number; windowMs: number },
  systemMs: number,
): Promise<{ waitMs: number }> {
  const { key, most, windowMs } = limit;
  const endsAtMs = systemMs + windowMs;
  const over = sql`${tries.endsAtMs} <= ${systemMs}`;
  return db.transaction(async (tx) => {
    const [counted] = await tx
      .insert(tries)
      .values({ key, count: 1, endsAtMs })
      .onConflictDoUpdate({
        target: tries.key,
        set: {
          count: sql`case when ${over} then 1 else ${tries.count} + 1 end`,
          endsAtMs: sql`case when ${over} then ${sql.param(endsAtMs, tries.endsAtMs)} else ${tries.endsAtMs} end`,
        },
      })
      .returning({ count: tries.count, endsAtMs: tries.endsAtMs });
    if (!counted || counted.count <= most) return { waitMs: 0 };
    return { waitMs: Math.max(1, counted.endsAtMs - systemMs) };
  });
}
