import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

/**
 * Records that a viewer is shown the card of their delivered reward. It is the first time for one alone of two tabs or
 * devices that ask at once. Refuses rewards that are not theirs or not delivered.
 */
export async function markWinSeen(
  db: Database,
  { rewardId, userId }: { rewardId: string; userId: string },
  nowMs: number,
): Promise<Outcome<{ first: boolean }, 'notFound'>> {
  const isTheirs = and(eq(rewards.id, rewardId), eq(rewards.userId, userId), is(rewards.state, 'claimed'));
  return db.transaction(async (tx) => {
    const seen = await tx
      .update(rewards)
      .set({ winSeenAtMs: nowMs })
      .where(and(isTheirs, isNull(rewards.winSeenAtMs)))
      .returning({ id: rewards.id });
    if (seen.length > 0) return done({ first: true });
    const [known] = await tx.select({ id: rewards.id }).from(rewards).where(isTheirs);
    return known ? done({ first: false }) : refuse('notFound');
  });
}
