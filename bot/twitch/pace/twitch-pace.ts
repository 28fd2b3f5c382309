import type { ChatOptions } from '#bot/twitch/chat/start-chat.ts';
import { MIN_CHANNELS_FOR_CONDUIT } from '#bot/twitch/events/event-listener.ts';
import { minute, second } from '#domain/time.ts';

/** How often each kind of work looks around. System time, as it paces calls of Twitch; what is due is domain time. */
export interface TwitchPace {
  surveyMs: number;
  reconcileMs: number;
  watchMs: number;
  followMs: number;
  /** Between two looks at what Twitch is to be told of custom rewards and redemptions. */
  pointsMs: number;
  /** Between two polls of a channel's redemptions. */
  redemptionsMs: number;
  /** The same of a channel on which nothing can be redeemed now, while its events are heard. */
  pausedRedemptionsMs: number;
  /** How long the custom rewards of a channel that its owner is leaving are left alone. */
  restMs: number;
  retryAfterMs: number;
  /** From so many channels on, a conduit carries the events. */
  conduitFrom: number;
  chat: ChatOptions['pace'];
}

export const usualPace: TwitchPace = {
  surveyMs: 2 * second,
  reconcileMs: minute,
  watchMs: second / 2,
  followMs: 5 * second,
  pointsMs: 2 * second,
  redemptionsMs: 3 * minute,
  pausedRedemptionsMs: 15 * minute,
  restMs: minute,
  retryAfterMs: 10 * second,
  conduitFrom: MIN_CHANNELS_FOR_CONDUIT,
  chat: { joinMs: 550, silenceMs: 20 * second, checkMs: 5 * second, retryMs: second },
};
