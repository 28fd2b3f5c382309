import { count, eq, max, sql } from 'drizzle-orm';
import type { Answer, Tx } from '#db/database.ts';
import { listOf, numberAt } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { endedRewards, type RewardState, rewards } from '#db/schema/reward.ts';
import { statement } from '#db/statement.ts';
import { kindNameIn } from '#domain/item/kind-name.ts';

const addEnded = statement('add_ended_rewards', (tx) => {
  const kindName = kindNameIn(items);
  return tx
    .insert(endedRewards)
    .select(
      tx
        .select({
          ruleId: rewards.ruleId,
          appId: items.appId,
          kindName: kindName.as('kind_name'),
          itemId: sql`${max(items.id)}`.as('item_id'),
          claimed: sql`${numberAt('claimed')} * ${count()}`.as('claimed'),
          recalled: sql`${numberAt('recalled')} * ${count()}`.as('recalled'),
        })
        .from(rewards)
        .innerJoin(items, eq(items.id, rewards.itemId))
        .where(sql`${rewards.id} in (select value from ${listOf(sql.placeholder('ids'), 'ended')})`)
        .groupBy(rewards.ruleId, items.appId, items.marketHashName, items.traits) as never,
    )
    .onConflictDoUpdate({
      target: [endedRewards.ruleId, endedRewards.appId, endedRewards.kindName],
      set: {
        claimed: sql`${endedRewards.claimed} + excluded.claimed`,
        recalled: sql`${endedRewards.recalled} + excluded.recalled`,
      },
    });
});

/** How many more a step to `to` makes of those that are in `state`: one more, one less, or as many. */
const change = (state: RewardState, { from, to }: Step): number =>
  Number(to === state) - Number(from === state);

interface Step {
  from: RewardState;
  to: RewardState;
}

/** Keeps the numbers of ended rewards when some move from one state to another, in the same transaction. */
export function countEnded(tx: Tx, rewardIds: readonly string[], step: Step): Answer<unknown> {
  const [claimed, recalled] = [change('claimed', step), change('recalled', step)];
  if (rewardIds.length === 0 || (claimed === 0 && recalled === 0)) return undefined;
  return addEnded(tx, { ids: JSON.stringify(rewardIds), claimed, recalled });
}
