import { minute } from '#domain/kernel/time.ts';
import type { PlaceInChannel } from '#domain/watch-time/list-places.ts';

/** Without a reading of its chatters for this long, nobody counts as present on a channel. Domain time. */
const MAX_AGE_MS = 3 * minute;

interface Room {
  readAtMs: number;
  /** Time since when they were in each reading, by Twitch id. Domain time. */
  people: Map<string, number>;
  /** Those of whom it is not known yet what other processes stored when they began to earn here. */
  begun: Set<string>;
  /** Those who earn nothing here. */
  elsewhere: Set<string>;
  /** Those of them whose channels may be other processes'. */
  doubted: Set<string>;
}

/** The live channels in which viewers earn according to the database, for all who were asked about. */
export interface LookedUp {
  asked: ReadonlySet<string>;
  places: ReadonlyMap<string, readonly PlaceInChannel[]>;
}

/** Leaves these out. The map itself is returned if there are none, as is usual. */
function without(people: ReadonlyMap<string, number>, ids: readonly string[]): ReadonlyMap<string, number> {
  if (ids.length === 0) return people;
  const rest = new Map(people);
  for (const id of ids) rest.delete(id);
  return rest;
}

class PresenceTracker {
  readonly #maxChannels: number;
  readonly #rooms = new Map<string, Room>();
  readonly #counts = new Map<string, number>();

  constructor(maxChannels: number) {
    this.#maxChannels = maxChannels;
  }

  /**
   * Returns those of a channel's viewers whose other channels have to be looked up before `earners`. If this process
   * knows all channels, that is those of its first reading alone.
   */
  unsure(channelId: string, twitchIds: readonly string[], knowsAll: boolean): string[] {
    const room = this.#rooms.get(channelId);
    if (!room) return [...new Set(twitchIds)];
    if (knowsAll) return [];
    const { people, begun, doubted } = room;
    return [...new Set(twitchIds)].filter((id) => !people.has(id) || begun.has(id) || doubted.has(id));
  }

  /**
   * Takes a reading of a live channel's viewers, and returns who earns in it and who is in too many others. Without
   * an answer of the database this process knows all channels.
   */
  earners(
    channelId: string,
    twitchIds: readonly string[],
    nowMs: number,
    lookedUp: LookedUp | null = null,
  ): { twitchIds: ReadonlyMap<string, number>; elsewhereIds: string[] } {
    const before = this.#rooms.get(channelId);
    const people = this.#list(channelId, twitchIds, nowMs, { before, lookedUp });
    const room: Room = {
      readAtMs: nowMs,
      people,
      begun: new Set(),
      elsewhere: new Set(),
      doubted: new Set(),
    };
    this.#rooms.set(channelId, room);
    for (const [twitchId, sinceMs] of people) {
      const places = lookedUp?.places.get(twitchId) ?? [];
      const wasElsewhere = before?.elsewhere.has(twitchId) === true;
      const isStored = places.some((place) => place.channelId === channelId);
      const isUnstored = lookedUp !== null && !isStored && before?.begun.has(twitchId) === true;
      // Few are listed in more channels than they may earn in.
      const isInFew = (this.#counts.get(twitchId) ?? 0) + places.length <= this.#maxChannels;
      const earlier = isInFew ? 0 : this.#countEarlier(twitchId, channelId, sinceMs, nowMs);
      const isUnasked = wasElsewhere && lookedUp?.asked.has(twitchId) === false;
      const isInTooMany =
        !isInFew && earlier + this.#countStored(places, channelId, sinceMs) >= this.#maxChannels;
      if (isUnasked || isInTooMany) {
        room.elsewhere.add(twitchId);
        if (earlier < this.#maxChannels) room.doubted.add(twitchId);
      } else if (wasElsewhere || isUnstored || !before?.people.has(twitchId)) room.begun.add(twitchId);
    }
    const elsewhereIds = [...room.elsewhere];
    return { twitchIds: without(people, elsewhereIds), elsewhereIds };
  }

  /** Lists who is in a channel since when, each once, and counts the channels of those who came and left. */
  #list(
    channelId: string,
    twitchIds: readonly string[],
    nowMs: number,
    { before, lookedUp }: { before: Room | undefined; lookedUp: LookedUp | null },
  ): Map<string, number> {
    const people = new Map<string, number>();
    for (const twitchId of twitchIds) {
      if (people.has(twitchId)) continue;
      const sinceMs = before?.people.get(twitchId);
      const here = lookedUp?.places.get(twitchId)?.find((place) => place.channelId === channelId);
      people.set(twitchId, here?.cameAtMs ?? sinceMs ?? nowMs);
      if (sinceMs === undefined) this.#counts.set(twitchId, (this.#counts.get(twitchId) ?? 0) + 1);
    }
    for (const twitchId of before?.people.keys() ?? []) if (!people.has(twitchId)) this.#leave(twitchId);
    return people;
  }

  #leave(twitchId: string): void {
    const left = (this.#counts.get(twitchId) ?? 1) - 1;
    if (left > 0) this.#counts.set(twitchId, left);
    else this.#counts.delete(twitchId);
  }

  /** Counts the channels of this process where they were earlier, up to as many as they may earn in. */
  #countEarlier(twitchId: string, channelId: string, sinceMs: number, nowMs: number): number {
    let earlier = 0;
    for (const [otherId, { readAtMs, people }] of this.#rooms) {
      const otherMs = people.get(twitchId);
      if (otherId === channelId || otherMs === undefined || nowMs - readAtMs > MAX_AGE_MS) continue;
      if (isEarlier([otherMs, otherId], [sinceMs, channelId])) earlier += 1;
      if (earlier === this.#maxChannels) break;
    }
    return earlier;
  }

  /** Counts the channels of other processes where they were earlier. */
  #countStored(places: readonly PlaceInChannel[], channelId: string, sinceMs: number): number {
    return places.filter(
      (place) =>
        place.channelId !== channelId &&
        !this.#rooms.has(place.channelId) &&
        isEarlier([place.cameAtMs, place.channelId], [sinceMs, channelId]),
    ).length;
  }

  /** Drops all other channels, which are no longer live, or another process's. */
  limitTo(channelIds: ReadonlySet<string>): void {
    for (const [channelId, { people }] of this.#rooms) {
      if (channelIds.has(channelId)) continue;
      for (const twitchId of people.keys()) this.#leave(twitchId);
      this.#rooms.delete(channelId);
    }
  }
}

/**
 * Tracks who is listed in the chats of live channels. Being listed is not watching: a script is listed in
 * hundreds of channels. So an account earns in at most `maxChannels` of them, those where it was first. The database
 * decides between channels of several processes: those who came are looked up there, and again at the next readings until
 * their own place is stored, because two processes may let somebody in at the same moment. Who is present there keeps their place over a restart.
 */
export const trackPresence = (maxChannels: number) => new PresenceTracker(maxChannels);

/** Compares times at which somebody came into channels; at one time the ids decide. */
const isEarlier = ([oneMs, oneId]: [number, string], [otherMs, otherId]: [number, string]): boolean =>
  oneMs < otherMs || (oneMs === otherMs && oneId < otherId);
