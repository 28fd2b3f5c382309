import { and, count, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';

const ready = and(eq(rewards.userId, sql.placeholder('userId')), is(rewards.state, 'promised'));

const countAll = statement('ready_rewards', (q) => q.select({ ready: count() }).from(rewards).where(ready));

const countOfChannel = statement('ready_rewards_of_channel', (q) =>
  q
    .select({ ready: count() })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(and(ready, eq(rules.channelId, sql.placeholder('channelId')))),
);

/** Counts rewards the viewer can claim, on all channels or on one. */
export async function countReadyRewards(
  db: Database,
  { userId, channelId }: { userId: string; channelId?: string },
): Promise<number> {
  const [row] =
    channelId === undefined
      ? await countAll(db.read, { userId })
      : await countOfChannel(db.read, { userId, channelId });
  return Number(row?.ready ?? 0);
}
