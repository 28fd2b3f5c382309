import type { Database } from '#db/database.ts';
import { recordFollows as recordReported } from '#domain/audience/record-follows.ts';
import {
  beginFollowReading,
  endFollowReading,
  recordFollowPage,
} from '#domain/channel/record-follow-list.ts';
import type { Follower } from '#domain/channel/upsert-follows.ts';
import { START_MS } from '#tests/support/fixtures.ts';

/** Records followers as Twitch reports them: a complete list that was read at a time, or some of them. */
export async function recordFollows(
  db: Database,
  {
    channelId,
    followers,
    ...list
  }: { channelId: string; followers: readonly Follower[] } & (
    | { complete: true; readAtMs: number }
    | { complete: false }
  ),
): Promise<void> {
  if (!list.complete) return recordReported(db, { channelId, followers }, START_MS);
  const reading = await beginFollowReading(db, { channelId }, list.readAtMs);
  await recordFollowPage(db, reading, followers);
  await endFollowReading(db, reading);
}
