import type { ChatOptions } from '#bot/twitch/chat/start-chat.ts';
import { MIN_CHANNELS_FOR_CONDUIT } from '#bot/twitch/events/event-listener.ts';
import { MAX_IRC_CHATS } from '#domain/chat/count-chats.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { settlementPauses } from '#domain/redemption/defer-redemptions.ts';

/**
 * The interval of each kind of work. System time, because it paces requests to Twitch; deadlines are in
 * domain time.
 */
export interface TwitchPace {
  surveyMs: number;
  reconcileMs: number;
  /** For this long, Get Streams may still list an ended stream, or not yet list a new one. */
  streamLagMs: number;
  /** Interval between polls while one has missed a stream. */
  missedStreamMs: number;
  watchMs: number;
  followMs: number;
  /** The pause before a channel's followers and subscribers are counted first, where no rule needs the lists. */
  audienceMs: number;
  /** Interval between checks for changes to custom rewards and redemptions that Twitch must get. */
  pointsMs: number;
  /** Interval between polls of a channel's redemptions. */
  redemptionsMs: number;
  /** Like `redemptionsMs`, for a channel on which nothing can be redeemed now and whose events all arrive. */
  pausedRedemptionsMs: number;
  /** Custom rewards are left alone for this long after their owner asked to leave. */
  restMs: number;
  /**
   * First pause after a failure. Settlements must use that of `settlementPauses`, from which their age is
   * computed.
   */
  retryAfterMs: number;
  /** From this many channels on, a conduit carries the events. */
  conduitFrom: number;
  chat: ChatOptions['pace'];
}

export const usualPace: TwitchPace = {
  surveyMs: 2 * second,
  reconcileMs: minute,
  streamLagMs: 3 * minute,
  missedStreamMs: minute / 2,
  watchMs: second / 2,
  followMs: 5 * second,
  audienceMs: minute / 2,
  pointsMs: 2 * second,
  redemptionsMs: 3 * minute,
  pausedRedemptionsMs: 15 * minute,
  restMs: minute,
  retryAfterMs: settlementPauses.firstMs,
  conduitFrom: MIN_CHANNELS_FOR_CONDUIT,
  chat: {
    joinMs: 550,
    silenceMs: 20 * second,
    checkMs: 5 * second,
    retryMs: second,
    maxChats: MAX_IRC_CHATS,
  },
};
