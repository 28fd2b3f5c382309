import { and, count, eq, inArray, max, sql } from 'drizzle-orm';
import type { Answer, Tx } from '#db/database.ts';
import { isAmong, numberAt, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { endedRewardStates, endedRewards, type RewardState, rewards } from '#db/schema/reward.ts';
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
        .where(isAmong(rewards.id, sql.placeholder('ids')))
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

/** Returns the change that a step makes to the number of rewards in `state`: 1, -1 or 0. */
const change = (state: RewardState, { from, to }: Step): number =>
  Number(to === state) - Number(from === state);

interface Step {
  from: RewardState;
  to: RewardState;
}

/** Updates the numbers of ended rewards when some move from one state to another, in the same transaction. */
export function countEnded(tx: Tx, rewardIds: readonly string[], step: Step): Answer<unknown> {
  const [claimed, recalled] = [change('claimed', step), change('recalled', step)];
  if (rewardIds.length === 0 || (claimed === 0 && recalled === 0)) return undefined;
  return addEnded(tx, { ids: JSON.stringify(rewardIds), claimed, recalled });
}

/**
 * Updates those numbers when an item turns out to be of another kind, in the transaction that learns it.
 * `learn` stores the new kind; from then on the item's ended rewards count under it, like its live ones.
 */
export async function moveEnded(tx: Tx, itemId: string, learn: () => Promise<unknown>): Promise<void> {
  const ended = await tx
    .select({ id: rewards.id, ruleId: rewards.ruleId, state: rewards.state })
    .from(rewards)
    .where(and(eq(rewards.itemId, itemId), within(rewards.state, endedRewardStates)));
  const idsIn = (state: RewardState) =>
    ended.flatMap((reward) => (reward.state === state ? [reward.id] : []));
  for (const state of endedRewardStates) await countEnded(tx, idsIn(state), { from: state, to: 'free' });
  await deleteEmpty(tx, new Set(ended.map(({ ruleId }) => ruleId)));
  await learn();
  for (const state of endedRewardStates) await countEnded(tx, idsIn(state), { from: 'free', to: state });
}

async function deleteEmpty(tx: Tx, ruleIds: ReadonlySet<string>): Promise<void> {
  if (ruleIds.size === 0) return;
  await tx
    .delete(endedRewards)
    .where(
      and(
        inArray(endedRewards.ruleId, [...ruleIds]),
        eq(endedRewards.claimed, 0),
        eq(endedRewards.recalled, 0),
      ),
    );
}
