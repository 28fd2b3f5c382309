import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { minute } from '#domain/kernel/time.ts';

/** A reading of the chatters that is older than this no longer proves that watch time is being counted. */
const COUNTING_MS = 3 * minute;

export interface LiveState {
  sinceMs: number;
  /** True if watch time was counted within the last minutes. */
  isCounting: boolean;
}

const readLive = statement('live_state', (q) =>
  q
    .select({
      live: channels.live,
      sinceMs: channels.streamStartedAtMs,
      watchedUntilMs: channels.watchedUntilMs,
    })
    .from(channels)
    .where(eq(channels.id, sql.placeholder('channelId'))),
);

/** Returns since when a channel is live; null while it is offline or unknown. */
export async function getLiveState(
  { read }: Database,
  channelId: string,
  nowMs: number,
): Promise<LiveState | null> {
  const [channel] = await readLive(read, { channelId });
  if (!channel?.live || channel.sinceMs === null) return null;
  return { sinceMs: channel.sinceMs, isCounting: (channel.watchedUntilMs ?? 0) > nowMs - COUNTING_MS };
}
