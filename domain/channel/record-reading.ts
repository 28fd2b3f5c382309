import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels, type WatchGapReason } from '#db/schema/channel.ts';
import type { Shortfall } from '#domain/channel/absence.ts';

/** The reason why a chat could not be read, and since when. Domain time. */
export interface Unread {
  reason: WatchGapReason;
  sinceMs: number;
}

/** Facts that a reading of a chat's list brought beside who is on it. */
export interface ReadingFacts {
  shortfall?: Shortfall | null;
  unread?: Unread;
}

/** Records it for the next reading, which may be another process's; called only when it has changed. */
export async function recordReading(
  db: Database,
  { channelId, shortfall, unread }: ReadingFacts & { channelId: string },
): Promise<void> {
  await db.transaction((tx) =>
    tx
      .update(channels)
      .set({
        ...(shortfall !== undefined && {
          chattersShort: shortfall?.short ?? null,
          chattersShortSinceMs: shortfall?.sinceMs ?? null,
        }),
        ...(unread && { unreadReason: unread.reason, unreadSinceMs: unread.sinceMs }),
      })
      .where(eq(channels.id, channelId))
      .returning({ id: channels.id }),
  );
}

/** Returns why a chat could not be read since its cursor; null if it was read, or not tried. */
export function unreadReasonOf(
  { unread, watchedUntilMs }: { unread: Unread | null; watchedUntilMs: number | null },
  nowMs: number,
): WatchGapReason | null {
  if (!unread || unread.sinceMs > nowMs) return null;
  return unread.sinceMs > (watchedUntilMs ?? 0) ? unread.reason : null;
}
