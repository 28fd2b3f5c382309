import { and, desc, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { countStopped, type StoppedCounts } from '#domain/claim/count-stopped.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';

/** The outcomes of a channel's latest promises. */
export interface DeliveryRecord {
  promised: number;
  delivered: number;
  timedOut: number;
  reversed: number;
  /** Promised or claimed, and still within their time. */
  underWay: number;
  /** Time from the claim to the accepted trade offer; null before the first delivery. */
  medianMs: number | null;
  /** Domain time of the first of these promises; null if there is none. */
  sinceMs: number | null;
  /** True if there are no older promises, which would not be counted. */
  isWhole: boolean;
  /** Number of claims that their owners stopped, among all promises ever made here. */
  stopped: StoppedCounts;
}

export interface Delivery {
  id: string;
  ruleName: string;
  item: ItemKind;
  deliveredAtMs: number;
  /** Null for a viewer who hides their name or has left. */
  viewer: { displayName: string; pictureUrl: string } | null;
}

/**
 * The latest promises that are counted; the limit keeps the page's work the same however long a channel has
 * been here.
 */
export const COUNTED_PROMISES = 200;
const LATEST = 5;

/** Returns a channel's delivery record and latest deliveries, both from its latest promises. */
export async function getDeliveries(
  db: Database,
  channelId: string,
): Promise<{ record: DeliveryRecord; latest: Delivery[] }> {
  const found = await latestPromises(db, channelId);
  const counted = found.slice(0, COUNTED_PROMISES);
  const delivered = counted.filter(({ state }) => state === 'claimed');
  const count = (reason: string) => counted.filter(({ recallReason }) => recallReason === reason).length;
  const record: DeliveryRecord = {
    promised: counted.length,
    delivered: delivered.length,
    timedOut: count('timedOut'),
    reversed: count('reversed'),
    underWay: counted.filter(({ state }) => state === 'promised' || state === 'reserved').length,
    medianMs: medianOf(
      delivered.flatMap(({ requestedAtMs, acceptedAtMs }) =>
        requestedAtMs === null || acceptedAtMs === null ? [] : [acceptedAtMs - requestedAtMs],
      ),
    ),
    sinceMs: counted.at(-1)?.promisedAtMs ?? null,
    isWhole: found.length <= COUNTED_PROMISES,
    stopped: await countStopped(db.read, eq(rewards.channelId, channelId)),
  };
  const latest = delivered
    .toSorted((a, b) => (b.claimedAtMs ?? 0) - (a.claimedAtMs ?? 0))
    .slice(0, LATEST)
    .map(({ id }) => id);
  return { record, latest: await describe(db, latest) };
}

const latestPromises = ({ read }: Database, channelId: string) =>
  read
    .select({
      id: rewards.id,
      state: rewards.state,
      recallReason: rewards.recallReason,
      promisedAtMs: rewards.promisedAtMs,
      claimedAtMs: rewards.claimedAtMs,
      requestedAtMs: transfers.createdAtMs,
      acceptedAtMs: transfers.acceptedAtMs,
    })
    .from(rewards)
    // A delivered reward has one transfer that was accepted.
    .leftJoin(
      transfers,
      and(eq(transfers.rewardId, rewards.id), within(transfers.state, ['accepted', 'settled'])),
    )
    .where(and(eq(rewards.channelId, channelId), isNotNull(rewards.twitchId)))
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(COUNTED_PROMISES + 1);

function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

async function describe({ read }: Database, rewardIds: readonly string[]): Promise<Delivery[]> {
  if (rewardIds.length === 0) return [];
  const rows = await read
    .select({
      id: rewards.id,
      ruleName: rules.name,
      ...itemFactColumns,
      deliveredAtMs: rewards.claimedAtMs,
      displayName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      hidesName: users.hidesName,
    })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .leftJoin(users, eq(users.id, twitchAccounts.userId))
    .where(inArray(rewards.id, [...rewardIds]))
    .orderBy(desc(rewards.claimedAtMs), desc(rewards.id));
  return rows.map(({ id, ruleName, deliveredAtMs, displayName, pictureUrl, hidesName, ...item }) => ({
    id,
    ruleName,
    item,
    deliveredAtMs: deliveredAtMs ?? 0,
    viewer: displayName === null || hidesName ? null : { displayName, pictureUrl: pictureUrl ?? '' },
  }));
}
