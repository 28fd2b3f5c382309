import type { ReportedRedemption } from '#domain/redemption/record-redemption.ts';

export type UnreadQueues = ReturnType<typeof trackUnreadQueues>;

/**
 * Tracks which custom rewards' queues have been read since events may have been missed, and holds back event
 * redemptions of the others: an older redemption may still be in the queue.
 */
export function trackUnreadQueues() {
  /** The custom rewards whose queue was read, with their channels. */
  const read = new Map<string, string>();
  const misses = new Map<string, number>();
  const held = new Map<string, Map<string, ReportedRedemption>>();
  const missesOf = (channelId: string) => misses.get(channelId) ?? 0;
  return {
    wasRead: (twitchRewardId: string): boolean => read.has(twitchRewardId),
    /** Events may have been missed on a channel: its queues have to be read again. */
    markUnread(channelId: string): void {
      misses.set(channelId, missesOf(channelId) + 1);
      for (const [twitchRewardId, of] of read) if (of === channelId) read.delete(twitchRewardId);
    },
    /** Starts a reading and returns a callback that marks it as done, unless events were missed meanwhile. */
    begin(channelId: string): (twitchRewardId: string) => void {
      const before = missesOf(channelId);
      return (twitchRewardId) => {
        if (missesOf(channelId) === before) read.set(twitchRewardId, channelId);
      };
    },
    hold(redemption: ReportedRedemption): void {
      const { twitchRewardId, id } = redemption;
      held.set(twitchRewardId, (held.get(twitchRewardId) ?? new Map()).set(id, redemption));
    },
    listHeld: (twitchRewardId: string): ReportedRedemption[] => [
      ...(held.get(twitchRewardId)?.values() ?? []),
    ],
    /** Drops a decided redemption, unless a newer event about it arrived. */
    release(redemption: ReportedRedemption): void {
      const ofReward = held.get(redemption.twitchRewardId);
      if (ofReward?.get(redemption.id) === redemption) ofReward.delete(redemption.id);
    },
    /** Drops custom rewards that no longer exist on Twitch. */
    limitTo(twitchRewardIds: ReadonlySet<string>): void {
      for (const known of [read, held])
        for (const id of known.keys()) if (!twitchRewardIds.has(id)) known.delete(id);
    },
  };
}
