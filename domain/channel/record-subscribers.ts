import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { isAmong, rowsOf } from '#db/dialect.ts';
import { channels, subscribers } from '#db/schema/channel.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { pacedTransactions } from '#domain/kernel/paced-transactions.ts';
import { firstMissed, isAbsent } from './absence.ts';
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
  /** False if the list does not prove who is not on it. */
  proves: boolean;
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
 * transactions: deletes those whom this list and one some minutes ago miss, writes new ones, and at the end
 * clears the channel's fault and records the day's number. If interrupted, the next reading does the rest. A
 * slice may undo what was reported after the list: the caller reports it again. Returns the number of those
 * whom another reading has to confirm.
 */
export async function recordSubscribers(
  db: Database,
  {
    channelId,
    subscribers: listed,
    readAtMs,
    proves = true,
  }: { channelId: string; subscribers: readonly Subscriber[]; readAtMs: number; proves?: boolean },
): Promise<number> {
  // A viewer who subscribes during paging can appear on two pages.
  const tiers = new Map(listed.map((each) => [each.twitchId, each.tier]));
  const transaction = pacedTransactions(db, channelLock(channelId), AT_ONCE, AT_LEAST);
  let missing = 0;
  for (let place: Place | null = { after: '', unseen: [...tiers] }; place !== null; ) {
    const from: Place = place;
    const list = { channelId, tiers, readAtMs, proves };
    const recorded = await transaction((tx, size) => recordSome(tx, list, from, size));
    missing += recorded.missing;
    place = recorded.next;
  }
  return missing;
}

/** The result of one slice: where the next transaction goes on, null if everything is recorded. */
interface Recorded {
  next: Place | null;
  missing: number;
}

async function recordSome(tx: Tx, list: List, { after, unseen }: Place, size: number): Promise<Recorded> {
  const { channelId, tiers } = list;
  const stored = after === null ? [] : await listStored(tx, channelId, after, size);
  const known = new Set(stored.map(({ twitchId }) => twitchId));
  const changed = stored.flatMap(({ twitchId, tier, missedAtMs }): Row[] => {
    const newTier = tiers.get(twitchId);
    const isKnown = newTier === undefined || (newTier === tier && missedAtMs === null);
    return isKnown ? [] : [[twitchId, newTier]];
  });
  const left = unseen.filter(([twitchId]) => !known.has(twitchId));
  const missing = list.proves ? await recordMissing(tx, list, stored) : 0;
  const last = stored.at(-1);
  if (last && stored.length === size) {
    await write(tx, channelId, changed);
    return { next: { after: last.twitchId, unseen: left }, missing };
  }
  await write(tx, channelId, [...changed, ...left.slice(0, size)]);
  if (left.length > size) return { next: { after: null, unseen: left.slice(size) }, missing };
  await finish(tx, list);
  return { next: null, missing };
}

type Stored = Awaited<ReturnType<typeof listStored>>[number];

/** Deletes those who were missed before, and notes those who are missed first. Returns how many stay. */
async function recordMissing(
  tx: Tx,
  { channelId, tiers, readAtMs }: List,
  stored: readonly Stored[],
): Promise<number> {
  const missing = stored.filter(({ twitchId }) => !tiers.has(twitchId));
  const gone = missing.filter(({ missedAtMs }) => isAbsent(missedAtMs, readAtMs));
  const idsOf = (rows: readonly Stored[]) => rows.map(({ twitchId }) => twitchId);
  const isFirst = ({ missedAtMs }: Stored) => firstMissed(missedAtMs, readAtMs) !== missedAtMs;
  await remove(tx, channelId, idsOf(gone));
  await markMissed(tx, { channelId, readAtMs }, idsOf(missing.filter(isFirst)));
  return missing.length - gone.length;
}

async function markMissed(
  tx: Tx,
  { channelId, readAtMs }: Pick<List, 'channelId' | 'readAtMs'>,
  twitchIds: readonly string[],
): Promise<void> {
  if (twitchIds.length === 0) return;
  const among = isAmong(subscribers.twitchId, twitchIds);
  await tx
    .update(subscribers)
    .set({ missedAtMs: readAtMs })
    .where(and(eq(subscribers.channelId, channelId), among));
}

const listStored = (tx: Tx, channelId: string, after: string, limit: number) =>
  tx
    .select({
      twitchId: subscribers.twitchId,
      tier: subscribers.tier,
      missedAtMs: subscribers.missedAtMs,
    })
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
    .select(
      sql`select cast(${channelId} as text), s.twitch_id, s.tier, null from ${source} where true` as never,
    )
    .onConflictDoUpdate({
      target: [subscribers.channelId, subscribers.twitchId],
      set: { tier: sql`excluded.tier`, missedAtMs: null },
    });
}

async function finish(tx: Tx, { channelId, tiers, readAtMs }: List): Promise<void> {
  await recordListed(tx, { channelId, atMs: readAtMs, subscribers: tiers.size });
  await tx
    .update(channels)
    .set({ subscribersReadAtMs: readAtMs, subscribersFault: null })
    .where(eq(channels.id, channelId));
}
