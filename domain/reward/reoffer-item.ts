import { eq } from 'drizzle-orm';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { newId } from '#domain/id.ts';
import type { ChannelTx } from '#domain/locks.ts';
import type { AdvancedReward } from './advance-reward.ts';
import { serveWaiting } from './serve-waiting.ts';

/**
 * Creates a new free reward for a recalled reward's item, unless the rule is closed or the item is not held, and
 * serves the waiting list. Otherwise the item becomes unassigned.
 */
export async function reofferItem(
  tx: ChannelTx,
  { itemId, ruleId }: AdvancedReward,
  nowMs: number,
): Promise<void> {
  const [place] = await tx
    .select({
      ruleState: rules.state,
      itemState: items.state,
      ownerId: rules.ownerId,
      channelId: rules.channelId,
    })
    .from(rules)
    .innerJoin(items, eq(items.id, itemId))
    .where(eq(rules.id, ruleId));
  if (place?.itemState !== 'held' || place.ruleState === 'closed') return;
  const id = newId(nowMs);
  const { ownerId, channelId } = place;
  await tx
    .insert(rewards)
    .values({ id, ruleId, ownerId, channelId, itemId, position: id, createdAtMs: nowMs });
  await serveWaiting(tx, [ruleId], nowMs);
}
