import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { statement } from '#db/statement.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';

/** An item that reached a viewer. */
export interface Delivery {
  /** The reward's id. */
  id: string;
  item: ItemFacts;
  viewer: { displayName: string; pictureUrl: string };
  atMs: number;
}

/** The latest promises among which deliveries are looked for. */
const PROMISES = 40;

const readDeliveries = statement('latest_deliveries', (q) => {
  const latest = q
    .select({
      id: rewards.id,
      state: rewards.state,
      itemId: rewards.itemId,
      twitchId: rewards.twitchId,
      claimedAtMs: rewards.claimedAtMs,
    })
    .from(rewards)
    .where(and(eq(rewards.ownerId, sql.placeholder('ownerId')), isNotNull(rewards.twitchId)))
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(PROMISES)
    .as('latest');
  return q
    .select({
      id: latest.id,
      item: itemFactColumns,
      viewer: { displayName: twitchAccounts.displayName, pictureUrl: twitchAccounts.pictureUrl },
      atMs: sql<number>`${latest.claimedAtMs}`.mapWith(Number),
    })
    .from(latest)
    .innerJoin(items, eq(items.id, latest.itemId))
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, latest.twitchId))
    .where(and(is(latest.state, 'claimed'), isNotNull(latest.claimedAtMs)))
    .orderBy(desc(latest.claimedAtMs), desc(latest.id))
    .limit(sql.placeholder('limit'));
});

/**
 * Lists what reached viewers last by a streamer's rules and was not reversed, among the latest promises. Viewers whose
 * Twitch account no account has any more are left out.
 */
export async function listLatestDeliveries(
  { read }: Database,
  asked: { ownerId: string; limit: number },
): Promise<Delivery[]> {
  return readDeliveries(read, asked);
}
