import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { attempts } from '#db/schema/access.ts';

/**
 * Counts one try of what `key` names and answers how long its limit still bars it: 0 when it may go on. The first try
 * begins a window of `windowMs`; after `most` tries in it, the rest of it is barred. System time.
 */
export async function countAttempt(
  db: Database,
  limit: { key: string; most: number; windowMs: number },
  systemMs: number,
): Promise<{ waitMs: number }> {
  const { key, most, windowMs } = limit;
  const endsAtMs = systemMs + windowMs;
  const over = sql`${attempts.endsAtMs} <= ${systemMs}`;
  return db.transaction(async (tx) => {
    const [counted] = await tx
      .insert(attempts)
      .values({ key, count: 1, endsAtMs })
      .onConflictDoUpdate({
        target: attempts.key,
        set: {
          count: sql`case when ${over} then 1 else ${attempts.count} + 1 end`,
          endsAtMs: sql`case when ${over} then ${sql.param(endsAtMs, attempts.endsAtMs)} else ${attempts.endsAtMs} end`,
        },
      })
      .returning({ count: attempts.count, endsAtMs: attempts.endsAtMs });
    if (!counted || counted.count <= most) return { waitMs: 0 };
    return { waitMs: Math.max(1, counted.endsAtMs - systemMs) };
  });
}

/** Forgets the tries of somebody who has proven themselves. */
export async function clearAttempts(db: Database, input: { key: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(attempts).where(eq(attempts.key, input.key));
  });
}
