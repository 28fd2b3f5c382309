import { and, count, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';

/** How many rewards wait for a viewer to claim them: the mark in the menu. */
export async function countReadyRewards(db: Database, input: { userId: string }): Promise<number> {
  const [row] = await db.read
    .select({ ready: count() })
    .from(rewards)
    .where(and(eq(rewards.userId, input.userId), eq(rewards.state, 'promised')));
  return Number(row?.ready ?? 0);
}
