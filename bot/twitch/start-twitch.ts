import { announcePromises } from '#bot/commands/announce-promises.ts';
import { answerChat } from '#bot/commands/answer-chat.ts';
import { answerRaffle } from '#bot/commands/answer-raffle.ts';
import type { ChatMessage } from '#bot/commands/chat-message.ts';
import { gatherEntries } from '#bot/commands/gather-entries.ts';
import type { Outlet } from '#bot/commands/gather-questions.ts';
import type { BotDeps } from '#bot/deps.ts';
import { endAll } from '#bot/end-all.ts';
import type { LeasedDeps, LeasedPart } from '#bot/leases.ts';
import { standingReader } from '#bot/twitch/channel/read-standing.ts';
import { type ReadWatched, watchedChannelsOf } from '#bot/twitch/channel/watched-channels.ts';
import { noChats, startChats } from '#bot/twitch/chat/start-chats.ts';
import { twitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import { type TwitchPace, usualPace } from '#bot/twitch/pace/twitch-pace.ts';
import { startTracking, type Tracking } from '#bot/twitch/start-tracking.ts';
import { startWorker } from '#bot/worker.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { recordChatFault } from '#domain/channel/record-chat-fault.ts';

/** Raffles are looked at no sooner than this after a change. */
const RAFFLES_MS = 500;

/**
 * Starts what one process does on Twitch for all channels: events, streams, follows, rewards and chat commands. Without a
 * configured application all of it is off; without a chat account only the chat is off.
 */
export async function startTwitch(
  deps: LeasedDeps,
  pace: TwitchPace = usualPace,
  watched: ReadWatched = watchedChannelsOf(deps.db),
): Promise<Tracking> {
  const { clientId, clientSecret, authUrl, botLogins, ignoredLogins } = deps.config.twitch;
  if (!clientId || !clientSecret) return twitchOff('no Twitch application is configured');
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl });
  const commands = answerChat({ ...deps, publicUrl: deps.config.publicUrl });
  const entries = gatherEntries({ ...deps, botLogins: [...botLogins, ...ignoredLogins] });
  const raffle = answerRaffle({ ...deps, publicUrl: deps.config.publicUrl });
  const raffles = startWorker({
    name: 'raffles',
    everyMs: RAFFLES_MS,
    changes: deps.changes,
    log: deps.log,
    run: entries.run,
  });
  const chatOptions = {
    logins: botLogins,
    clientId,
    oauth,
    pace: pace.chat,
    async answer(message: ChatMessage, outlet: Outlet): Promise<void> {
      if (entries.take(message) || (await raffle(message, outlet))) return;
      await commands.answer(message, outlet);
    },
    awaits: entries.awaits,
    onElsewhere: entries.elsewhere,
    takeAnnouncements: announcePromises(deps),
    recordFault: (channelId: string, fault: ChatFault | null) =>
      recordChatFault(deps.db, { channelId, fault }, deps.clock.now()),
  };
  const chats = botLogins.length > 0 ? startChats(deps, chatOptions) : noChats;
  const tracking = startTracking(deps, { clientId, oauth, pace, watched, chats });
  return {
    readStanding: tracking.readStanding,
    leaveChannel: tracking.leaveChannel,
    report: () => ({ ...tracking.report(), chat: chats.report() }),
    nudge() {
      tracking.nudge();
      raffles.nudge();
    },
    async stop() {
      const finishChats = async () => {
        chats.settle();
        await endAll(deps.log, [commands.finish()]);
        await chats.stop();
        await entries.finish();
      };
      // Side by side: a line in a chat waits for no call about a channel.
      await endAll(deps.log, [raffles.stop(), tracking.stop(), finishChats()]);
    },
  };
}

/**
 * Twitch for the rest of this process. A viewer's standing is read in any process, because another one than the bots' may
 * track channels; only here nobody else learns of it. A channel is left where it is tracked.
 */
export function twitchWhileHeld(deps: BotDeps, part: LeasedPart<Tracking>): Tracking {
  const alone = readStandingAlone(deps);
  return {
    report: part.report,
    nudge: part.nudge,
    stop: part.stop,
    readStanding: (claim) => (part.current()?.readStanding ?? alone)(claim),
    leaveChannel: async (channelId) => part.current()?.leaveChannel(channelId) ?? false,
  };
}

function readStandingAlone(deps: BotDeps): Tracking['readStanding'] {
  const { clientId, clientSecret, authUrl } = deps.config.twitch;
  if (!clientId || !clientSecret) return async () => ({});
  const oauth = twitchOAuth({ clientId, clientSecret, authUrl });
  const access = openTwitchAccess(deps, { clientId, oauth });
  return standingReader({
    log: deps.log,
    ...access,
    follows: { handleNoFollow() {} },
    subscribers: { handleAnswer() {} },
  });
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
