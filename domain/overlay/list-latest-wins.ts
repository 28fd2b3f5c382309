import { and, desc, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { listShownNames } from '#domain/overlay/read-board.ts';

/** A reward that a viewer won; `name` is null if they hide it or have no account. */
export interface Win {
  name: string | null;
  itemName: string;
}

/** Lists the latest rewards that viewers won by a streamer's rules, the latest first. */
export async function listLatestWins(
  q: Reader,
  { userId, limit }: { userId: string; limit: number },
): Promise<Win[]> {
  const rows = await q
    .select({ twitchId: rewards.twitchId, itemName: items.name })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ownerId, userId), isNotNull(rewards.twitchId)))
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(limit);
  const names = await listShownNames(
    q,
    rows.flatMap(({ twitchId }) => twitchId ?? []),
  );
  return rows.map(({ twitchId, itemName }) => ({ itemName, name: names.get(twitchId ?? '') ?? null }));
}
