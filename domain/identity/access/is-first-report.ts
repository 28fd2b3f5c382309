import { sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { attempts } from '#db/schema/access.ts';

/** Counts this report, and returns whether it is the first one under this key within the window. */
export async function isFirstReport(
  tx: Tx,
  { key, windowMs }: { key: string; windowMs: number },
  nowMs: number,
): Promise<boolean> {
  const endsAtMs = nowMs + windowMs;
  const first = await tx
    .insert(attempts)
    .values({ key, count: 1, endsAtMs })
    .onConflictDoUpdate({
      target: attempts.key,
      set: { endsAtMs },
      setWhere: sql`${attempts.endsAtMs} <= ${nowMs}`,
    })
    .returning({ key: attempts.key });
  return first.length === 1;
}
