import { answerChat } from '#bot/commands/answer-chat.ts';
import { tellPromises } from '#bot/commands/tell-promises.ts';
import type { BotDeps } from '#bot/deps.ts';
import { CONDUIT_FROM } from '#bot/twitch/event-listener.ts';
import { twitchOAuth } from '#bot/twitch/oauth.ts';
import type { ChatOptions } from '#bot/twitch/start-chat.ts';
import { noChats, startChats } from '#bot/twitch/start-chats.ts';
import { startTracking, type Tracking } from '#bot/twitch/start-tracking.ts';
import { minute, second } from '#domain/clock.ts';

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
  /** How long the custom rewards of a channel that its owner is leaving are left alone. */
  restMs: number;
  retryAfterMs: number;
  /** From so many channels on, a conduit carries the events. */
  conduitFrom: number;
  chat: ChatOptions['pace'];
}

const usualPace: TwitchPace = {
  surveyMs: 2 * second,
  reconcileMs: minute,
  watchMs: second / 2,
  followMs: 5 * second,
  pointsMs: 2 * second,
  redemptionsMs: 3 * minute,
  restMs: minute,
  retryAfterMs: 10 * second,
  conduitFrom: CONDUIT_FROM,
  chat: { joinMs: 550, silenceMs: 20 * second, lookMs: 5 * second, retryMs: second },
};

/**
 * Starts what follows Twitch: which channels are live, who is in their chats, who follows them, and the commands in
 * chat. Without an application configured all of it is off; without a chat account only the chat is.
 */
export async function startTwitch(deps: BotDeps, pace: TwitchPace = usualPace): Promise<Tracking> {
  const { clientId, clientSecret, authUrl, botLogins } = deps.config.twitch;
  if (!clientId || !clientSecret) return twitchOff('no Twitch application is configured');
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl });
  const answer = answerChat({ ...deps, publicUrl: deps.config.publicUrl });
  const chatOptions = { logins: botLogins, oauth, pace: pace.chat, answer, news: tellPromises(deps) };
  const chats = botLogins.length > 0 ? startChats(deps, chatOptions) : noChats;
  const tracking = startTracking(deps, { clientId, oauth, pace, chats });
  return {
    readStanding: tracking.readStanding,
    leaveChannel: tracking.leaveChannel,
    report: () => ({ ...tracking.report(), chat: chats.report() }),
    nudge: () => tracking.nudge(),
    async stop() {
      await Promise.all([tracking.stop(), chats.stop()]);
    },
  };
}

function twitchOff(detail: string): Tracking {
  return {
    readStanding: async () => ({}),
    leaveChannel: async () => false,
    report: () => ({ twitch: { state: 'off', detail }, chat: { state: 'off', detail } }),
    nudge: () => {},
    stop: async () => {},
  };
}
