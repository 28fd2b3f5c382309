import { and, count, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';

/** How many rewards wait for a viewer to claim them, of all channels or of one. */
export async function countReadyRewards(
  db: Database,
  { userId, channelId }: { userId: string; channelId?: string },
): Promise<number> {
  const [row] = await db.read
    .select({ ready: count() })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(
      and(
        eq(rewards.userId, userId),
        is(rewards.state, 'promised'),
        channelId === undefined ? undefined : eq(rules.channelId, channelId),
      ),
    );
  return Number(row?.ready ?? 0);
}
