import { and, eq, lte } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { liveRaffleStates, raffles } from '#db/schema/raffle.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { recordGap } from '#domain/watch-time/record-gap.ts';

/** A stream with the same id that returns within this time counts as uninterrupted. */
export const STREAM_GRACE_MS = 5 * minute;
/** A stream that begins within this time after another is the same stream for its viewers, whatever its id. */
const STREAM_BREAK_MS = 30 * minute;
/** At most this much of a stream is credited at its first reading. Nobody knows who was there before that. */
const MAX_UNREAD_MS = 90 * second;
/** A stream that is never listed counts as running for at most this long after the event: its end may be lost. */
const MAX_UNLISTED_MS = day;

export interface LiveStream {
  streamId: string;
  startedAtMs: number;
  /** Absent in events, which omit game and title; the stored values of the same stream stay. */
  gameName?: string;
  title?: string;
  /** Twitch's number of viewers. */
  viewers?: number;
}

/**
 * Records that a channel is live with this stream, or offline (null). A new stream starts the watch cursor at
 * its own start; the same id within the grace period resumes where it was. Time that nobody could observe,
 * such as a stream noticed late or a longer break, is recorded as a gap. With `endedId` only that stream ends.
 * Returns the number of gaps.
 */
export async function recordStream(
  db: Database,
  {
    channelId,
    stream: reported,
    endedId = null,
  }: { channelId: string; stream: LiveStream | null; endedId?: string | null },
  nowMs: number,
): Promise<number> {
  const record = async (tx: Tx): Promise<number> => {
    let gaps = 0;
    const [channel] = await tx.select().from(channels).where(eq(channels.id, channelId));
    if (!channel) return gaps;
    const stream = reported?.streamId === channel.repeatId ? null : reported;
    if (!stream) {
      if (!channel.live || (endedId !== null && channel.streamId !== endedId)) return gaps;
      await tx
        .update(channels)
        .set({ live: false, wentOfflineAtMs: nowMs, lastSeenAtMs: nowMs })
        .where(eq(channels.id, channelId));
    } else {
      const isSame = channel.streamId === stream.streamId;
      const hasChanged =
        !isSame || !channel.live || stream.gameName !== undefined || stream.title !== undefined;
      if (!hasChanged) return gaps;
      const { passed, ...moved } = await cursorAfter(tx, channel, stream, nowMs);
      gaps = passed;
      await tx
        .update(channels)
        .set({
          live: true,
          streamId: stream.streamId,
          streamStartedAtMs: stream.startedAtMs,
          gameName: stream.gameName ?? (isSame ? channel.gameName : ''),
          title: stream.title ?? (isSame ? channel.title : ''),
          ...(stream.viewers === undefined
            ? !isSame && { viewers: null, viewersReadAtMs: null }
            : { viewers: stream.viewers, viewersReadAtMs: nowMs }),
          lastSeenAtMs: nowMs,
          wentOfflineAtMs: null,
          streamNumber: channel.streamNumber + (beginsAnother(channel, stream, nowMs) ? 1 : 0),
          ...moved,
        })
        .where(eq(channels.id, channelId));
    }
    if (channel.live !== Boolean(stream)) await notifyBroadcaster(tx, channelId, nowMs);
    return gaps;
  };
  // A concurrent reading moves the same cursor.
  return db.transaction(record, { lock: channelLock(channelId) });
}

/** Records that a broadcast repeats an earlier one: it is no stream, whatever lists it. */
export async function recordRepeat(
  db: Database,
  { channelId, streamId }: { channelId: string; streamId: string },
  nowMs: number,
): Promise<void> {
  await db.transaction((tx) =>
    tx.update(channels).set({ repeatId: streamId }).where(eq(channels.id, channelId)),
  );
  await recordStream(db, { channelId, stream: null, endedId: streamId }, nowMs);
}

/**
 * Records that an event said a stream began which Twitch does not list (twitchdev/issues 1103): it is a gap
 * from when the channel was last live with it.
 */
export async function recordUnlisted(
  db: Database,
  { channelId, streamId }: { channelId: string; streamId: string },
  nowMs: number,
): Promise<void> {
  const record = async (tx: Tx): Promise<void> => {
    const [channel] = await tx.select().from(channels).where(eq(channels.id, channelId));
    if (!channel || channel.live || channel.streamId !== streamId) return;
    const fromMs = Math.max(channel.watchedUntilMs ?? 0, channel.wentOfflineAtMs ?? 0);
    const untilMs = Math.min(nowMs, (channel.streamStartedAtMs ?? nowMs) + MAX_UNLISTED_MS);
    if (untilMs - fromMs < second || !(await anyRuleWatched(tx, channelId, untilMs))) return;
    await recordGap(tx, { channelId, fromMs, untilMs, reason: 'twitchUnavailable' });
  };
  return db.transaction(record, { lock: channelLock(channelId) });
}

type Channel = typeof channels.$inferSelect;

/**
 * Returns the watch cursor for a channel that is live with this stream. Time that the cursor skips is
 * recorded as a gap, and counted.
 */
async function cursorAfter(
  tx: Tx,
  channel: Channel,
  stream: LiveStream,
  nowMs: number,
): Promise<Partial<Pick<Channel, 'watchedUntilMs'>> & { passed: number }> {
  const sinceMs = countsSince(channel, stream, nowMs);
  if (sinceMs === null) return { passed: 0 };
  const unread = sinceMs === channel.watchedUntilMs ? null : unreadBefore(channel, stream, nowMs);
  const counts = nowMs - sinceMs <= MAX_UNREAD_MS;
  let passed = 0;
  for (const interval of [
    ...(unread ? [unread] : []),
    ...(counts ? [] : [{ fromMs: sinceMs, untilMs: nowMs }]),
  ])
    if (await anyRuleWatched(tx, channel.id, interval.untilMs)) {
      await recordGap(tx, { channelId: channel.id, ...interval, reason: 'notPolled' });
      passed += 1;
    }
  return { watchedUntilMs: counts ? sinceMs : nowMs, passed };
}

/**
 * Returns whether a stream is not the channel's last one going on. That one ended when it was seen to end; if
 * nobody was looking then, at its last moment that was read.
 */
function beginsAnother(channel: Channel, { streamId, startedAtMs }: LiveStream, nowMs: number): boolean {
  if (channel.streamId === streamId) return false;
  const { wentOfflineAtMs, watchedUntilMs } = channel;
  if (watchedUntilMs === null) return true;
  const wasSeen = wentOfflineAtMs !== null && wentOfflineAtMs - watchedUntilMs <= STREAM_GRACE_MS;
  return Math.min(nowMs, startedAtMs) - (wasSeen ? wentOfflineAtMs : watchedUntilMs) > STREAM_BREAK_MS;
}

/** Returns the time from which unread stream time may count; null if the cursor stays. */
function countsSince(channel: Channel, stream: LiveStream, nowMs: number): number | null {
  const offMs = channel.wentOfflineAtMs ?? 0;
  if (channel.streamId !== stream.streamId)
    return Math.min(nowMs, Math.max(stream.startedAtMs, offMs, channel.watchedUntilMs ?? 0));
  if (channel.live) return null;
  return nowMs - offMs <= STREAM_GRACE_MS ? (channel.watchedUntilMs ?? nowMs) : nowMs;
}

/**
 * Returns the unread end of the previous stream. That stream ended when it was seen to end, or at the latest
 * when this one began; one that comes back under its id never ended.
 */
function unreadBefore(
  { live, wentOfflineAtMs, watchedUntilMs, streamId }: Channel,
  { startedAtMs, streamId: nextId }: LiveStream,
  nowMs: number,
): { fromMs: number; untilMs: number } | null {
  if (watchedUntilMs === null) return null;
  if (streamId === nextId) return { fromMs: watchedUntilMs, untilMs: nowMs };
  const untilMs = Math.min(nowMs, live ? startedAtMs : (wentOfflineAtMs ?? 0));
  return untilMs - watchedUntilMs >= second ? { fromMs: watchedUntilMs, untilMs } : null;
}

/** Returns whether a rule that is not closed, or a raffle that is not drawn, existed by then. */
async function anyRuleWatched(tx: Tx, channelId: string, byMs: number): Promise<boolean> {
  const [rule] = await tx
    .select({ id: rules.id })
    .from(rules)
    .where(
      and(eq(rules.channelId, channelId), within(rules.state, liveRuleStates), lte(rules.createdAtMs, byMs)),
    )
    .limit(1);
  if (rule) return true;
  const [raffle] = await tx
    .select({ id: raffles.id })
    .from(raffles)
    .where(
      and(
        eq(raffles.channelId, channelId),
        within(raffles.state, liveRaffleStates),
        lte(raffles.createdAtMs, byMs),
      ),
    )
    .limit(1);
  return raffle !== undefined;
}

async function notifyBroadcaster(tx: Tx, channelId: string, nowMs: number): Promise<void> {
  const owners = await tx
    .select({ userId: twitchAccounts.userId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, channelId));
  await announce(
    tx,
    owners.map(({ userId }) => ({ userId, kind: 'channel.changed' as const, subjectId: channelId })),
    nowMs,
  );
}
