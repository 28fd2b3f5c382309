import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { statement } from '#db/statement.ts';
import { day, minute } from '#domain/kernel/time.ts';

/** Numbers that were read further apart than this do not compare. */
const MAX_APART_MS = 5 * minute;
/** Time for which a first stream counts as recent. */
const RECENT_MS = 7 * day;
/** The number of a channel's first stream: it is raised as one begins. */
const FIRST_STREAM = 2;

/** The last look at the chat of a channel's last stream, beside Twitch's number of viewers. */
export interface StreamCheck {
  live: boolean;
  lookedAtMs: number;
  /** People in the chat, without the broadcaster. */
  people: number;
  bots: number;
  /** Null if it was not read about then. */
  viewers: number | null;
  /**
   * Number of viewers whom the chat does not list; null if unknown, or if the chat lists at least as many: it
   * also lists people who do not watch.
   */
  outsideChat: number | null;
  /** True if it is the channel's first stream, and no more than a week ago. */
  isFirst: boolean;
}

const readLook = statement('stream_check', (q) =>
  q
    .select({
      live: channels.live,
      streamStartedAtMs: channels.streamStartedAtMs,
      streamNumber: channels.streamNumber,
      lookedUntilMs: channels.lookedUntilMs,
      people: channels.lookedPeople,
      bots: channels.lookedBots,
      viewers: channels.viewers,
      viewersReadAtMs: channels.viewersReadAtMs,
    })
    .from(channels)
    .where(eq(channels.id, sql.placeholder('channelId'))),
);

/** Returns what the last look at the chat of a channel's last stream found; null without one. */
export async function getStreamCheck(
  { read }: Database,
  channelId: string,
  nowMs: number,
): Promise<StreamCheck | null> {
  const [look] = await readLook(read, { channelId });
  if (!look) return null;
  const { live, lookedUntilMs: lookedAtMs, people, bots, streamStartedAtMs, viewersReadAtMs } = look;
  if (lookedAtMs === null || people === null || bots === null) return null;
  if (lookedAtMs < (streamStartedAtMs ?? 0)) return null;
  const isComparable = viewersReadAtMs !== null && Math.abs(viewersReadAtMs - lookedAtMs) <= MAX_APART_MS;
  const viewers = isComparable ? look.viewers : null;
  const outsideChat = viewers !== null && viewers > people ? viewers - people : null;
  const isFirst = look.streamNumber === FIRST_STREAM && nowMs - lookedAtMs < RECENT_MS;
  return { live, lookedAtMs, people, bots, viewers, outsideChat, isFirst };
}
