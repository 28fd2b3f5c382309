import { and, asc, eq, gt, lt, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { channels, follows } from '#db/schema/channel.ts';
import { recordListed } from '#domain/channel/count-day.ts';
import { type Follower, upsertFollows } from '#domain/channel/upsert-follows.ts';
import { hour } from '#domain/kernel/time.ts';

/**
 * A reading that was interrupted for longer starts over, because too much may have changed on its first
 * pages.
 */
const MAX_INTERRUPTED_MS = 12 * hour;
/** Rows compared per transaction, so that other writes get in between. */
const ROWS_AT_ONCE = 5000;

/** A reading of a channel's complete list of followers. */
export interface FollowReading {
  channelId: string;
  /** Domain time. */
  begunAtMs: number;
  /** Twitch's cursor to go on from; null at the beginning. */
  cursor: string | null;
}

/** Begins a reading, or resumes one that an error or a restart interrupted. */
export async function beginFollowReading(
  db: Database,
  { channelId }: { channelId: string },
  nowMs: number,
): Promise<FollowReading> {
  return db.transaction(async (tx) => {
    const [channel] = await tx
      .select({ begunAtMs: channels.followsBegunAtMs, cursor: channels.followsCursor })
      .from(channels)
      .where(eq(channels.id, channelId));
    const begunAtMs = channel?.begunAtMs ?? null;
    const { cursor = null } = channel ?? {};
    if (begunAtMs !== null && cursor !== null && Math.abs(nowMs - begunAtMs) <= MAX_INTERRUPTED_MS)
      return { channelId, begunAtMs, cursor };
    await savePlace(tx, { channelId, begunAtMs: nowMs, cursor: null });
    return { channelId, begunAtMs: nowMs, cursor: null };
  });
}

/** Records a page of followers, and the cursor to go on from. */
export async function recordFollowPage(
  db: Database,
  reading: FollowReading,
  followers: readonly Follower[],
): Promise<void> {
  const { channelId, begunAtMs } = reading;
  await db.transaction(async (tx) => {
    await upsertFollows(tx, { channelId, followers, seenAtMs: begunAtMs });
    await savePlace(tx, reading);
  });
}

/** Starts a reading over, because Twitch does not know its cursor any more. */
export async function restartFollowReading(db: Database, reading: FollowReading): Promise<void> {
  await db.transaction((tx) => savePlace(tx, { ...reading, cursor: null }));
}

/**
 * Ends a reading. Everybody who was neither on the list nor reported since it began has stopped following. No
 * lock is needed: a row that is reported meanwhile is as new as the reading. Records the number of followers
 * as the day's, and returns it.
 */
export async function endFollowReading(
  db: Database,
  { channelId, begunAtMs }: FollowReading,
): Promise<number> {
  let followers = 0;
  for (let after: string | null = ''; after !== null; ) {
    const slice: { last: string | null; left: number } = await db.transaction((tx) =>
      deleteUnseen(tx, { channelId, begunAtMs, after: after ?? '' }),
    );
    followers += slice.left;
    after = slice.last;
  }
  await db.transaction(async (tx) => {
    await recordListed(tx, { channelId, atMs: begunAtMs, followers });
    await tx
      .update(channels)
      .set({
        followsReadAtMs: begunAtMs,
        followsListed: followers,
        followsBegunAtMs: null,
        followsCursor: null,
      })
      .where(eq(channels.id, channelId));
  });
  return followers;
}

const savePlace = (tx: Tx, { channelId, begunAtMs, cursor }: FollowReading) =>
  tx
    .update(channels)
    .set({ followsBegunAtMs: begunAtMs, followsCursor: cursor })
    .where(eq(channels.id, channelId));

/** Goes through a slice of rows along the key; `last` is null at the end of the channel. */
async function deleteUnseen(
  tx: Tx,
  { channelId, begunAtMs, after }: { channelId: string; begunAtMs: number; after: string },
): Promise<{ last: string | null; left: number }> {
  const rest = and(eq(follows.channelId, channelId), gt(follows.twitchId, after));
  const rows = await tx
    .select({ twitchId: follows.twitchId })
    .from(follows)
    .where(rest)
    .orderBy(asc(follows.twitchId))
    .limit(ROWS_AT_ONCE);
  const last = rows.at(-1)?.twitchId;
  if (last === undefined) return { last: null, left: 0 };
  const deleted = await tx
    .delete(follows)
    .where(and(rest, lte(follows.twitchId, last), lt(follows.seenAtMs, begunAtMs)))
    .returning({ twitchId: follows.twitchId });
  return { last: rows.length < ROWS_AT_ONCE ? null : last, left: rows.length - deleted.length };
}
