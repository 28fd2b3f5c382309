import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { minute } from '#domain/clock.ts';
import { announce } from '#domain/outbox/announce.ts';

/** A stream of the same id that comes back within this time was never away. */
export const STREAM_GRACE_MS = 5 * minute;

export interface LiveStream {
  streamId: string;
  startedAtMs: number;
  gameName: string;
  title: string;
}

/**
 * Records that a channel is live with this stream, or off (null). A new stream starts the watch cursor; one of the same
 * id that flaps within the grace goes on from where it was.
 */
export async function recordStream(
  database: Database,
  { channelId, stream }: { channelId: string; stream: LiveStream | null },
  nowMs: number,
): Promise<void> {
  await database.transaction(async (tx) => {
    const [channel] = await tx.select().from(channels).where(eq(channels.id, channelId));
    if (!channel) return;
    if (!stream) {
      if (!channel.live) return;
      await tx
        .update(channels)
        .set({ live: false, wentOfflineAtMs: nowMs, lastSeenAtMs: nowMs })
        .where(eq(channels.id, channelId));
    } else {
      await tx
        .update(channels)
        .set({
          live: true,
          streamId: stream.streamId,
          streamStartedAtMs: stream.startedAtMs,
          gameName: stream.gameName,
          title: stream.title,
          lastSeenAtMs: nowMs,
          wentOfflineAtMs: null,
          ...(!goesOn(channel, stream.streamId, nowMs) && { watchedUntilMs: nowMs }),
        })
        .where(eq(channels.id, channelId));
    }
    if (channel.live !== Boolean(stream)) await tellBroadcaster(tx, channelId, nowMs);
  });
}

function goesOn(channel: typeof channels.$inferSelect, streamId: string, nowMs: number): boolean {
  if (channel.streamId !== streamId) return false;
  return channel.live || nowMs - (channel.wentOfflineAtMs ?? 0) <= STREAM_GRACE_MS;
}

async function tellBroadcaster(tx: Tx, channelId: string, nowMs: number): Promise<void> {
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
