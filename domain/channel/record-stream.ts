import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { announce } from '#domain/outbox/announce.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { minute, second } from '#domain/time.ts';
import { recordGap } from '#domain/watch-time/record-gap.ts';

/** A stream of the same id that comes back within this time was never away. */
export const STREAM_GRACE_MS = 5 * minute;
/** So much of a stream may be credited to who is there at its first reading; of more nobody knows who was there. */
const MAX_UNREAD_MS = 90 * second;

export interface LiveStream {
  streamId: string;
  startedAtMs: number;
  /** Not told by an event, which names neither; what is known of the same stream stays. */
  gameName?: string;
  title?: string;
}

/**
 * Records that a channel is live with this stream, or off (null). A new stream starts the watch cursor at its own
 * beginning; one of the same id that flaps within the grace goes on from where it was. What nobody can know any more, a
 * stream that was on for long before it was noticed or a longer break within the grace, is noted as a gap.
 */
export async function recordStream(
  database: Database,
  { channelId, stream }: { channelId: string; stream: LiveStream | null },
  nowMs: number,
): Promise<void> {
  const record = async (tx: Tx): Promise<void> => {
    const [channel] = await tx.select().from(channels).where(eq(channels.id, channelId));
    if (!channel) return;
    if (!stream) {
      if (!channel.live) return;
      await tx
        .update(channels)
        .set({ live: false, wentOfflineAtMs: nowMs, lastSeenAtMs: nowMs })
        .where(eq(channels.id, channelId));
    } else {
      const isSame = channel.streamId === stream.streamId;
      const hasChanged =
        !isSame || !channel.live || stream.gameName !== undefined || stream.title !== undefined;
      if (!hasChanged) return;
      await tx
        .update(channels)
        .set({
          live: true,
          streamId: stream.streamId,
          streamStartedAtMs: stream.startedAtMs,
          gameName: stream.gameName ?? (isSame ? channel.gameName : ''),
          title: stream.title ?? (isSame ? channel.title : ''),
          lastSeenAtMs: nowMs,
          wentOfflineAtMs: null,
          ...(await cursorAfter(tx, channel, stream, nowMs)),
        })
        .where(eq(channels.id, channelId));
    }
    if (channel.live !== Boolean(stream)) await notifyBroadcaster(tx, channelId, nowMs);
  };
  // A reading that is being counted moves the same cursor.
  await database.transaction(record, { lock: channelLock(channelId) });
}

type Channel = typeof channels.$inferSelect;

/** Where the watch cursor stands once a channel is known to be live with this stream. */
async function cursorAfter(
  tx: Tx,
  channel: Channel,
  stream: LiveStream,
  nowMs: number,
): Promise<Partial<Pick<Channel, 'watchedUntilMs'>>> {
  const sinceMs = countsSince(channel, stream, nowMs);
  if (sinceMs === null) return {};
  if (nowMs - sinceMs <= MAX_UNREAD_MS) return { watchedUntilMs: sinceMs };
  if (await anyRuleWatches(tx, channel.id))
    await recordGap(tx, { channelId: channel.id, fromMs: sinceMs, untilMs: nowMs, reason: 'notPolled' });
  return { watchedUntilMs: nowMs };
}

/** Since when a stream's time may count that was not read yet; null: as it is. */
function countsSince(channel: Channel, stream: LiveStream, nowMs: number): number | null {
  const offMs = channel.wentOfflineAtMs ?? 0;
  if (channel.streamId !== stream.streamId)
    return Math.min(nowMs, Math.max(stream.startedAtMs, offMs, channel.watchedUntilMs ?? 0));
  if (channel.live) return null;
  return nowMs - offMs <= STREAM_GRACE_MS ? (channel.watchedUntilMs ?? nowMs) : nowMs;
}

async function anyRuleWatches(tx: Tx, channelId: string): Promise<boolean> {
  const [rule] = await tx
    .select({ id: rules.id })
    .from(rules)
    .where(and(eq(rules.channelId, channelId), within(rules.state, liveRuleStates)))
    .limit(1);
  return rule !== undefined;
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
