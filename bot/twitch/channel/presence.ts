import { minute } from '#domain/kernel/time.ts';

/** Without a reading of its chatters for this long, nobody counts as present on a channel. Domain time. */
const MAX_AGE_MS = 3 * minute;

interface Room {
  readAtMs: number;
  /** Time since when they were in each reading, by Twitch id. Domain time. */
  people: Map<string, number>;
}

/** Usually nobody is elsewhere, and the map itself is returned. */
function without(people: ReadonlyMap<string, number>, ids: readonly string[]): ReadonlyMap<string, number> {
  if (ids.length === 0) return people;
  const rest = new Map(people);
  for (const id of ids) rest.delete(id);
  return rest;
}

/**
 * Tracks who is listed in the chats of live channels. Being listed is not watching: a script is listed in
 * hundreds of channels. So an account earns in at most `maxChannels` of them, those where it was first. Held
 * in memory only: after a restart everyone counts as just arrived.
 */
export function trackPresence(maxChannels: number) {
  const rooms = new Map<string, Room>();
  const counts = new Map<string, number>();

  const leave = (twitchId: string): void => {
    const left = (counts.get(twitchId) ?? 1) - 1;
    if (left > 0) counts.set(twitchId, left);
    else counts.delete(twitchId);
  };

  /** Called only for the few who are listed in more channels than they may earn in. */
  const earns = (twitchId: string, channelId: string, nowMs: number): boolean => {
    const sinceMs = rooms.get(channelId)?.people.get(twitchId) ?? nowMs;
    let earlier = 0;
    for (const [otherId, { readAtMs, people }] of rooms) {
      const otherMs = people.get(twitchId);
      if (otherId === channelId || otherMs === undefined || nowMs - readAtMs > MAX_AGE_MS) continue;
      if (otherMs < sinceMs || (otherMs === sinceMs && otherId < channelId)) earlier += 1;
      if (earlier === maxChannels) return false;
    }
    return true;
  };

  return {
    /**
     * Takes a reading of a live channel's viewers, and returns who earns in it and who is in too many others.
     */
    earners(
      channelId: string,
      twitchIds: readonly string[],
      nowMs: number,
    ): { twitchIds: ReadonlyMap<string, number>; elsewhereIds: string[] } {
      const before = rooms.get(channelId)?.people;
      const people = new Map<string, number>();
      for (const twitchId of twitchIds) {
        const sinceMs = before?.get(twitchId);
        people.set(twitchId, sinceMs ?? nowMs);
        if (sinceMs === undefined) counts.set(twitchId, (counts.get(twitchId) ?? 0) + 1);
      }
      for (const twitchId of before?.keys() ?? []) if (!people.has(twitchId)) leave(twitchId);
      rooms.set(channelId, { readAtMs: nowMs, people });
      const elsewhereIds: string[] = [];
      for (const twitchId of people.keys())
        if ((counts.get(twitchId) ?? 0) > maxChannels && !earns(twitchId, channelId, nowMs))
          elsewhereIds.push(twitchId);
      return { twitchIds: without(people, elsewhereIds), elsewhereIds };
    },
    /** Drops all other channels, which are no longer live. */
    limitTo(channelIds: ReadonlySet<string>): void {
      for (const [channelId, { people }] of rooms) {
        if (channelIds.has(channelId)) continue;
        for (const twitchId of people.keys()) leave(twitchId);
        rooms.delete(channelId);
      }
    },
  };
}
