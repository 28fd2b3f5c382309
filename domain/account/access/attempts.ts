import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { attempts } from '#db/schema/access.ts';

/**
 * Counts one attempt under `key` and returns how long it is still blocked; 0 when allowed. The first attempt starts a
 * window of `windowMs`; after the maximum number of attempts the rest of the window is blocked. System time.
 */
export async function countAttempt(
  db: Database,
  limit: { key: string; max: number; windowMs: number },
  systemMs: number,
): Promise<{ waitMs: number }> {
  const { key, max, windowMs } = limit;
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
    if (!counted || counted.count <= max) return { waitMs: 0 };
    return { waitMs: Math.max(1, counted.endsAtMs - systemMs) };
  });
}

/** Takes one attempt back that was right; the others still count, and the window stays. */
export async function returnAttempt(db: Database, input: { key: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .update(attempts)
      .set({ count: sql`${attempts.count} - 1` })
      .where(and(eq(attempts.key, input.key), gt(attempts.count, 0)));
  });
}

/** Clears the attempts of a user who proved their identity. */
export async function clearAttempts(db: Database, input: { key: string }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(attempts).where(eq(attempts.key, input.key));
  });
}
