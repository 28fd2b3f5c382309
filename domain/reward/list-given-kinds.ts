import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';

/** Number of a rule's newest rewards among which different kinds are searched for. */
const MAX_REWARDS_READ = 12;

/**
 * Lists the kinds that a rule promised last and did not recall, newest first, for its picture once none is
 * free.
 */
export function listGivenKinds(
  { read }: Database,
  ruleId: string,
): Promise<Pick<ItemFacts, 'marketHashName' | 'name' | 'iconUrl' | 'typeTag' | 'rarityTag'>[]> {
  return read
    .select({
      marketHashName: items.marketHashName,
      name: items.name,
      iconUrl: items.iconUrl,
      typeTag: items.typeTag,
      rarityTag: items.rarityTag,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(
      and(
        eq(rewards.ruleId, ruleId),
        isNotNull(rewards.twitchId),
        within(rewards.state, ['promised', 'reserved', 'claimed']),
      ),
    )
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(MAX_REWARDS_READ);
}
