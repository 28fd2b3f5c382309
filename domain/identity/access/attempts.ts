import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { attempts } from '#db/schema/access.ts';

interface Limit {
  key: string;
  max: number;
  windowMs: number;
}

/**
 * Counts one attempt under `key` and returns how long it is still blocked; 0 when allowed. The first attempt starts a
 * window of `windowMs`; after the maximum number of attempts the rest of the window is blocked. System time.
 */
export const countAttempt = (db: Database, limit: Limit, systemMs: number): Promise<{ waitMs: number }> =>
  db.transaction((tx) => countAttemptIn(tx, limit, systemMs));

/** Counts an attempt within its own transaction: one that is rolled back does not count. */
export async function countAttemptIn(
  tx: Tx,
  { key, max, windowMs }: Limit,
  systemMs: number,
): Promise<{ waitMs: number }> {
  const endsAtMs = systemMs + windowMs;
  const over = sql`${attempts.endsAtMs} <= ${systemMs}`;
  const [counted] = await tx
    .insert(attempts)
    .values({ key, count: 1, endsAtMs })
    .onConflictDoUpdate({
      target: attempts.key,
      set: {
        // Refused attempts stop counting at one above the maximum, so that a success can give back what it
        // used, however many others were refused meanwhile.
        count: sql`case when ${over} then 1 when ${attempts.count} > ${max} then ${attempts.count} else ${attempts.count} + 1 end`,
        endsAtMs: sql`case when ${over} then ${sql.param(endsAtMs, attempts.endsAtMs)} else ${attempts.endsAtMs} end`,
      },
    })
    .returning({ count: attempts.count, endsAtMs: attempts.endsAtMs });
  if (!counted || counted.count <= max) return { waitMs: 0 };
  return { waitMs: Math.max(1, counted.endsAtMs - systemMs) };
}

/**
 * Counts several attempts under each of many keys in one statement. Returns whether a key has more than `max` now: the
 * caller rolls back then, because refused attempts count here, too.
 */
export async function countManyIn(
  tx: Tx,
  { counts, max, windowMs }: { counts: ReadonlyMap<string, number>; max: number; windowMs: number },
  systemMs: number,
): Promise<boolean> {
  if (counts.size === 0) return false;
  const endsAtMs = systemMs + windowMs;
  const over = sql`${attempts.endsAtMs} <= ${systemMs}`;
  const counted = await tx
    .insert(attempts)
    .values([...counts].map(([key, count]) => ({ key, count, endsAtMs })))
    .onConflictDoUpdate({
      target: attempts.key,
      set: {
        count: sql`case when ${over} then excluded.count else ${attempts.count} + excluded.count end`,
        endsAtMs: sql`case when ${over} then excluded.ends_at_ms else ${attempts.endsAtMs} end`,
      },
    })
    .returning({ count: attempts.count });
  return counted.some(({ count }) => count > max);
}

/** Takes back attempts that turned out to be right; the others still count, and the window stays. */
export async function returnAttempts(db: Database, input: { key: string; count: number }): Promise<void> {
  const { key, count } = input;
  await db.transaction(async (tx) => {
    await tx
      .update(attempts)
      .set({
        count: sql`case when ${attempts.count} > ${count} then ${attempts.count} - ${count} else 0 end`,
      })
      .where(eq(attempts.key, key));
  });
}

/** Clears the attempts of a user who proved their identity. Returns how many had counted until now; system time. */
export async function clearAttempts(
  db: Database,
  input: { key: string },
  systemMs: number,
): Promise<{ count: number }> {
  return db.transaction(async (tx) => {
    const [cleared] = await tx.delete(attempts).where(eq(attempts.key, input.key)).returning();
    return { count: cleared && cleared.endsAtMs > systemMs ? cleared.count : 0 };
  });
}
