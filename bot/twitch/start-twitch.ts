import type { BotDeps, BotPart } from '#bot/deps.ts';
import { twitchOAuth } from '#bot/twitch/oauth.ts';
import { startTracking } from '#bot/twitch/start-tracking.ts';
import { minute, second } from '#domain/clock.ts';

/** How often each kind of work looks around. System time, as it paces calls of Twitch; what is due is domain time. */
export interface TwitchPace {
  surveyMs: number;
  reconcileMs: number;
  watchMs: number;
  followMs: number;
  retryAfterMs: number;
}

const usualPace: TwitchPace = {
  surveyMs: 2 * second,
  reconcileMs: minute,
  watchMs: second / 2,
  followMs: 5 * second,
  retryAfterMs: 10 * second,
};

/**
 * Starts what follows Twitch: which channels are live, who is in their chats, who follows them. Without an application
 * configured it is off.
 */
export async function startTwitch(deps: BotDeps, pace: TwitchPace = usualPace): Promise<BotPart> {
  const { clientId, clientSecret, authUrl } = deps.config.twitch;
  if (!clientId || !clientSecret) return twitchOff();
  return startTracking(deps, { clientId, oauth: twitchOAuth({ clientId, clientSecret, authUrl }), pace });
}

function twitchOff(): BotPart {
  return {
    report: () => ({ twitch: { state: 'off', detail: 'no Twitch application is configured' } }),
    nudge: () => {},
    stop: async () => {},
  };
}
