import type { ReportedRedemption } from '#domain/redemption/record-redemption.ts';

export type UnreadQueues = ReturnType<typeof keepUnreadQueues>;

/**
 * Knows of which custom rewards the queue on Twitch was read since events may have been missed, and keeps what events
 * told of the others: an older redemption may stand in the queue that nobody has heard of.
 */
export function keepUnreadQueues() {
  /** Those that were read, with their channels. */
  const read = new Map<string, string>();
  const doubts = new Map<string, number>();
  const kept = new Map<string, Map<string, ReportedRedemption>>();
  const doubtsOf = (channelId: string) => doubts.get(channelId) ?? 0;
  return {
    wasRead: (twitchRewardId: string): boolean => read.has(twitchRewardId),
    /** Something may have been missed on a channel: its queues have to be read again. */
    doubt(channelId: string): void {
      doubts.set(channelId, doubtsOf(channelId) + 1);
      for (const [twitchRewardId, of] of read) if (of === channelId) read.delete(twitchRewardId);
    },
    /** Before a reading: returns what notes its end. A doubt that arose meanwhile stands. */
    begin(channelId: string): (twitchRewardId: string) => void {
      const before = doubtsOf(channelId);
      return (twitchRewardId) => {
        if (doubtsOf(channelId) === before) read.set(twitchRewardId, channelId);
      };
    },
    keep(told: ReportedRedemption): void {
      const { twitchRewardId, id } = told;
      kept.set(twitchRewardId, (kept.get(twitchRewardId) ?? new Map()).set(id, told));
    },
    keptOf: (twitchRewardId: string): ReportedRedemption[] => [...(kept.get(twitchRewardId)?.values() ?? [])],
    /** It was decided; what was told of it since is kept. */
    forget(told: ReportedRedemption): void {
      const ofReward = kept.get(told.twitchRewardId);
      if (ofReward?.get(told.id) === told) ofReward.delete(told.id);
    },
    /** Custom rewards that do not stand on Twitch any more have no queue. */
    limitTo(twitchRewardIds: ReadonlySet<string>): void {
      for (const known of [read, kept])
        for (const id of known.keys()) if (!twitchRewardIds.has(id)) known.delete(id);
    },
  };
}
