import { and, eq } from 'drizzle-orm';
import { is } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { recordPoolItem } from '#domain/draw/pool-changes.ts';
import { newId } from '#domain/kernel/id.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import type { AdvancedReward } from './advance-reward.ts';
import { serveWaiting } from './serve-waiting.ts';

/**
 * Creates a new free reward for a recalled reward's item, unless the rule is closed or the item is not held,
 * and serves the waiting list. Otherwise the item becomes unassigned. A random rule's proof records that it
 * can be drawn again. The rule of a drawn raffle is closed and has places instead of a list: `runRaffles` serves them.
 */
export async function reofferItem(
  tx: ChannelTx,
  { itemId, ruleId }: AdvancedReward,
  nowMs: number,
): Promise<void> {
  const [place] = await tx
    .select({
      ruleState: rules.state,
      ruleType: rules.type,
      itemState: items.state,
      lineId: rules.lineId,
      ownerId: rules.ownerId,
      channelId: rules.channelId,
      raffleId: raffles.id,
    })
    .from(rules)
    .innerJoin(items, eq(items.id, itemId))
    .leftJoin(raffles, and(eq(raffles.ruleId, rules.id), is(raffles.state, 'drawn')))
    .where(eq(rules.id, ruleId));
  if (place?.itemState !== 'held' || (place.ruleState === 'closed' && place.raffleId === null)) return;
  const id = newId(nowMs);
  const { lineId, ownerId, channelId } = place;
  await tx
    .insert(rewards)
    .values({ id, ruleId, lineId, ownerId, channelId, itemId, position: id, createdAtMs: nowMs });
  if (place.ruleType === 'random') await recordPoolItem(tx, { ruleId, itemId, cause: 'returned' }, nowMs);
  await serveWaiting(tx, [ruleId], nowMs);
}
