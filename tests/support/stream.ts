import type { Database } from '#db/database.ts';
import type { WatchGapReason } from '#db/schema/channel.ts';
import { type Accrued, accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import type { ChattersReading } from '#domain/audience/take-intervals.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { START_MS } from '#tests/support/fixtures.ts';

/** Records a channel as live with this stream id. */
export const goLive = (db: Database, channelId: string, nowMs = START_MS, streamId = 's1') =>
  recordStream(
    db,
    { channelId, stream: { streamId, startedAtMs: nowMs, gameName: 'Demo game', title: 'Demo' } },
    nowMs,
  );

export const goOff = (db: Database, channelId: string, nowMs: number) =>
  recordStream(db, { channelId, stream: null }, nowMs);

/** One reading of a live channel's chatters. */
export const readChatters = (
  db: Database,
  channelId: string,
  twitchIds: readonly string[],
  nowMs: number,
  facts: { streamId?: string; gapReason?: WatchGapReason; uncounted?: ChattersReading['uncounted'] } = {},
): Promise<Accrued> =>
  accrueWatchTime(db, { channelId, streamId: 's1', twitchIds: new Set(twitchIds), ...facts }, nowMs);
