import { and, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, isAmong } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { statement } from '#db/statement.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';

/** An item that reached a viewer. */
export interface Delivery {
  /** The reward's id. */
  id: string;
  item: ItemKind;
  viewer: { displayName: string; pictureUrl: string };
  atMs: number;
}

/** Number of latest promises among which deliveries are searched for. */
const PROMISES = 40;

const readLatest = statement('latest_delivered', (q) => {
  const latest = q
    .select({ id: rewards.id, state: rewards.state, claimedAtMs: rewards.claimedAtMs })
    .from(rewards)
    .where(and(eq(rewards.ownerId, sql.placeholder('ownerId')), isNotNull(rewards.twitchId)))
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(PROMISES)
    .as('latest');
  return q
    .select({ id: latest.id })
    .from(latest)
    .where(and(is(latest.state, 'claimed'), isNotNull(latest.claimedAtMs)));
});

const readDelivered = statement('latest_deliveries', (q) =>
  q
    .select({
      id: rewards.id,
      item: itemFactColumns,
      viewer: { displayName: twitchAccounts.displayName, pictureUrl: twitchAccounts.pictureUrl },
      atMs: sql<number>`${rewards.claimedAtMs}`.mapWith(Number),
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .where(isAmong(rewards.id, sql.placeholder('ids'))),
);

/**
 * Lists the latest deliveries by a streamer's rules that were not reversed, among the latest promises.
 * Viewers without an account that has their Twitch account are left out.
 */
export async function listLatestDeliveries(
  { read }: Database,
  { ownerId, limit }: { ownerId: string; limit: number },
): Promise<Delivery[]> {
  const latest = await readLatest(read, { ownerId });
  if (latest.length === 0) return [];
  const ids = JSON.stringify(latest.map(({ id }) => id));
  // Sorted here, because SQLite would set up a temporary table for it, which costs more than reading these
  // few rows.
  const delivered = await readDelivered(read, { ids });
  return delivered
    .toSorted((one, other) => other.atMs - one.atMs || (one.id < other.id ? 1 : -1))
    .slice(0, limit);
}
