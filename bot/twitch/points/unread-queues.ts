import type { ReportedRedemption } from '#domain/redemption/record-redemption.ts';

export type UnreadQueues = ReturnType<typeof trackUnreadQueues>;

/**
 * Knows of which custom rewards the queue on Twitch was read since events may have been missed, and keeps what events
 * told of the others: an older redemption may stand in the queue that nobody has heard of.
 */
export function trackUnreadQueues() {
  /** Those that were read, with their channels. */
  const read = new Map<string, string>();
  const doubts = new Map<string, number>();
  const held = new Map<string, Map<string, ReportedRedemption>>();
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
    hold(redemption: ReportedRedemption): void {
      const { twitchRewardId, id } = redemption;
      held.set(twitchRewardId, (held.get(twitchRewardId) ?? new Map()).set(id, redemption));
    },
    listHeld: (twitchRewardId: string): ReportedRedemption[] => [
      ...(held.get(twitchRewardId)?.values() ?? []),
    ],
    /** It was decided; what was told of it since is kept. */
    release(redemption: ReportedRedemption): void {
      const ofReward = held.get(redemption.twitchRewardId);
      if (ofReward?.get(redemption.id) === redemption) ofReward.delete(redemption.id);
    },
    /** Custom rewards that do not stand on Twitch any more have no queue. */
    limitTo(twitchRewardIds: ReadonlySet<string>): void {
      for (const known of [read, held])
        for (const id of known.keys()) if (!twitchRewardIds.has(id)) known.delete(id);
    },
  };
}
