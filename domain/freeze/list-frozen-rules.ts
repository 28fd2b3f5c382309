import { and, asc, count, eq, isNotNull } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { isAmong, within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { type RuleState, rules } from '#db/schema/rule.ts';

/** A frozen rule, and how many of its rewards are in each live state. */
export interface FrozenRule {
  id: string;
  name: string;
  state: RuleState;
  channelId: string;
  channelName: string;
  createdAtMs: number;
  rewards: Record<(typeof liveRewardStates)[number], number>;
}

/** Lists an account's frozen rules, oldest first. */
export async function listFrozenRules(q: Reader | Tx, { userId }: { userId: string }): Promise<FrozenRule[]> {
  const frozen = await q
    .select({
      id: rules.id,
      name: rules.name,
      state: rules.state,
      channelId: rules.channelId,
      channelName: channels.displayName,
      createdAtMs: rules.createdAtMs,
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(and(eq(rules.ownerId, userId), isNotNull(rules.frozenAtMs)))
    .orderBy(asc(rules.id));
  if (frozen.length === 0) return [];
  const ids = frozen.map(({ id }) => id);
  const counted = await q
    .select({ ruleId: rewards.ruleId, state: rewards.state, amount: count() })
    .from(rewards)
    .where(
      and(eq(rewards.ownerId, userId), within(rewards.state, liveRewardStates), isAmong(rewards.ruleId, ids)),
    )
    .groupBy(rewards.ruleId, rewards.state);
  return frozen.map((rule) => {
    const amounts = { free: 0, promised: 0, reserved: 0 };
    for (const { ruleId, state, amount } of counted)
      if (ruleId === rule.id && state in amounts) amounts[state as keyof typeof amounts] = Number(amount);
    return { ...rule, rewards: amounts };
  });
}
