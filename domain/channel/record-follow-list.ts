import { and, asc, eq, gt, lt, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { channels, follows } from '#db/schema/channel.ts';
import { isAbsent } from '#domain/channel/absence.ts';
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
 * Ends a reading. Everybody whom two readings some minutes apart have missed, and nobody reported since the
 * first of them, has stopped following, if the list proves who is not on it. No lock is needed: a row that is
 * reported meanwhile is as new as the reading. Records the number of followers as the day's, and returns it;
 * `missing` counts those whom another reading has to confirm.
 */
export async function endFollowReading(
  db: Database,
  { channelId, begunAtMs }: FollowReading,
  { proves = true } = {},
): Promise<{ followers: number; missing: number }> {
  let followers = 0;
  let missing = 0;
  const firstReadAtMs = await readBefore(db, channelId);
  const absentBeforeMs = proves && isAbsent(firstReadAtMs, begunAtMs) ? firstReadAtMs : null;
  for (let after: string | null = ''; after !== null; ) {
    const slice: Slice = await db.transaction((tx) =>
      deleteUnseen(tx, { channelId, begunAtMs, absentBeforeMs, after: after ?? '' }),
    );
    followers += slice.left;
    missing += slice.missing;
    after = slice.last;
  }
  if (!proves) missing = 0;
  followers -= missing;
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
  return { followers, missing };
}

/** Returns when the last complete reading began; null if there was none. */
async function readBefore(db: Database, channelId: string): Promise<number | null> {
  const [channel] = await db.read
    .select({ readAtMs: channels.followsReadAtMs })
    .from(channels)
    .where(eq(channels.id, channelId));
  return channel?.readAtMs ?? null;
}

const savePlace = (tx: Tx, { channelId, begunAtMs, cursor }: FollowReading) =>
  tx
    .update(channels)
    .set({ followsBegunAtMs: begunAtMs, followsCursor: cursor })
    .where(eq(channels.id, channelId));

/** A slice of rows along the key; `last` is null at the end of the channel. */
interface Slice {
  last: string | null;
  left: number;
  /** Those left that this reading did not list. */
  missing: number;
}

/** Deletes those who were last seen before the reading that first missed them; nobody without one. */
async function deleteUnseen(
  tx: Tx,
  {
    channelId,
    begunAtMs,
    absentBeforeMs,
    after,
  }: { channelId: string; begunAtMs: number; absentBeforeMs: number | null; after: string },
): Promise<Slice> {
  const rest = and(eq(follows.channelId, channelId), gt(follows.twitchId, after));
  const rows = await tx
    .select({ twitchId: follows.twitchId, seenAtMs: follows.seenAtMs })
    .from(follows)
    .where(rest)
    .orderBy(asc(follows.twitchId))
    .limit(ROWS_AT_ONCE);
  const last = rows.at(-1)?.twitchId;
  if (last === undefined) return { last: null, left: 0, missing: 0 };
  const unlisted = rows.filter(({ seenAtMs }) => seenAtMs < begunAtMs).length;
  const deleted =
    absentBeforeMs === null || unlisted === 0
      ? []
      : await tx
          .delete(follows)
          .where(and(rest, lte(follows.twitchId, last), lt(follows.seenAtMs, absentBeforeMs)))
          .returning({ twitchId: follows.twitchId });
  return {
    last: rows.length < ROWS_AT_ONCE ? null : last,
    left: rows.length - deleted.length,
    missing: unlisted - deleted.length,
  };
}
