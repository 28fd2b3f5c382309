import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { isAmong, rowsOf } from '#db/dialect.ts';
import { channels, subscribers } from '#db/schema/channel.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { recordListed } from './count-day.ts';

/**
 * Rows compared per transaction, so that other writes get in between; a list of half this size takes one
 * transaction.
 */
const AT_ONCE = 10_000;
const AT_LEAST = 500;

/** A subscriber of a channel, as reported by Twitch. */
export interface Subscriber {
  twitchId: string;
  tier: SubscriberTier;
}

/** The list that is being recorded. */
interface List {
  channelId: string;
  tiers: ReadonlyMap<string, number>;
  readAtMs: number;
}

type Row = readonly [twitchId: string, tier: number];

/**
 * The place up to which stored rows were compared; null at their end. `unseen` holds the listed viewers
 * without a row so far.
 */
interface Place {
  after: string | null;
  unseen: readonly Row[];
}

/**
 * Records the complete list of a channel's subscribers, whose reading began at `readAtMs`, in short
 * transactions: deletes those who are missing from it, writes new ones, and at the end clears the channel's
 * fault and records the day's number. If interrupted, the next reading does the rest. A slice may undo what
 * was reported after the list: the caller reports it again.
 */
export async function recordSubscribers(
  db: Database,
  {
    channelId,
    subscribers: listed,
    readAtMs,
  }: { channelId: string; subscribers: readonly Subscriber[]; readAtMs: number },
): Promise<void> {
  // A viewer who subscribes during paging can appear on two pages.
  const tiers = new Map(listed.map((each) => [each.twitchId, each.tier]));
  const transaction = pacedTransactions(db, channelLock(channelId), AT_ONCE, AT_LEAST);
  for (let place: Place | null = { after: '', unseen: [...tiers] }; place !== null; ) {
    const from: Place = place;
    place = await transaction((tx, size) => recordSome(tx, { channelId, tiers, readAtMs }, from, size));
  }
}

/** Records one slice, and returns where the next transaction goes on; null if everything is recorded. */
async function recordSome(tx: Tx, list: List, { after, unseen }: Place, size: number): Promise<Place | null> {
  const { channelId, tiers } = list;
  const stored = after === null ? [] : await listStored(tx, channelId, after, size);
  const known = new Map(stored.map(({ twitchId, tier }) => [twitchId, tier]));
  const missing = [...known.keys()].filter((twitchId) => !tiers.has(twitchId));
  const changed = [...known].flatMap(([twitchId, tier]): Row[] => {
    const newTier = tiers.get(twitchId) ?? tier;
    return newTier === tier ? [] : [[twitchId, newTier]];
  });
  const left = unseen.filter(([twitchId]) => !known.has(twitchId));
  await remove(tx, channelId, missing);
  const last = stored.at(-1);
  if (last && stored.length === size) {
    await write(tx, channelId, changed);
    return { after: last.twitchId, unseen: left };
  }
  await write(tx, channelId, [...changed, ...left.slice(0, size)]);
  if (left.length > size) return { after: null, unseen: left.slice(size) };
  await finish(tx, list);
  return null;
}

const listStored = (tx: Tx, channelId: string, after: string, limit: number) =>
  tx
    .select({ twitchId: subscribers.twitchId, tier: subscribers.tier })
    .from(subscribers)
    .where(and(eq(subscribers.channelId, channelId), gt(subscribers.twitchId, after)))
    .orderBy(asc(subscribers.twitchId))
    .limit(limit);

async function remove(tx: Tx, channelId: string, twitchIds: readonly string[]): Promise<void> {
  if (twitchIds.length === 0) return;
  const among = isAmong(subscribers.twitchId, twitchIds);
  await tx.delete(subscribers).where(and(eq(subscribers.channelId, channelId), among));
}

async function write(tx: Tx, channelId: string, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  const source = rowsOf(rows, { twitch_id: 'text', tier: 'bigint' }, 's');
  await tx
    .insert(subscribers)
    .select(sql`select cast(${channelId} as text), s.twitch_id, s.tier from ${source} where true` as never)
    .onConflictDoUpdate({
      target: [subscribers.channelId, subscribers.twitchId],
      set: { tier: sql`excluded.tier` },
    });
}

async function finish(tx: Tx, { channelId, tiers, readAtMs }: List): Promise<void> {
  await recordListed(tx, { channelId, atMs: readAtMs, subscribers: tiers.size });
  await tx
    .update(channels)
    .set({ subscribersReadAtMs: readAtMs, subscribersFault: null })
    .where(eq(channels.id, channelId));
}
