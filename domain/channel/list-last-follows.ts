import type { Reader } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';

/** A channel’s last complete list of followers: when it was read, and how many it had; null before. Domain time. */
export interface LastFollowList {
  followsReadAtMs: number | null;
  followsListed: number | null;
}

/** Lists the last complete lists of followers of these channels. */
export async function listLastFollowLists(
  q: Reader,
  channelIds: readonly string[],
): Promise<readonly (LastFollowList & { id: string })[]> {
  if (channelIds.length === 0) return [];
  const { id, followsReadAtMs, followsListed } = channels;
  return q.select({ id, followsReadAtMs, followsListed }).from(channels).where(isAmong(id, channelIds));
}
