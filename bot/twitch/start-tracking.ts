import type { BotDeps, BotPart } from '#bot/deps.ts';
import { askAboutStanding } from '#bot/twitch/channel/ask-about-standing.ts';
import { watchChatters } from '#bot/twitch/channel/chatter-watcher.ts';
import { readFollows } from '#bot/twitch/channel/follow-reader.ts';
import { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import { readSubscribers } from '#bot/twitch/channel/subscriber-reader.ts';
import { surveyChannels } from '#bot/twitch/channel/survey-channels.ts';
import { sweepHourly } from '#bot/twitch/channel/sweep-hourly.ts';
import type { Chats } from '#bot/twitch/chat/start-chats.ts';
import { listenToEvents } from '#bot/twitch/events/event-listener.ts';
import { eventTopics } from '#bot/twitch/events/event-topics.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess, type TwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import type { TwitchPace } from '#bot/twitch/pace/twitch-pace.ts';
import { channelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { keepCustomRewards } from '#bot/twitch/points/custom-reward-keeper.ts';
import { type LeaveChannel, leaveChannels } from '#bot/twitch/points/leave-channel.ts';
import { pollRedemptions } from '#bot/twitch/points/redemption-poller.ts';
import { tellRedemptions } from '#bot/twitch/points/redemption-teller.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { startWorker } from '#bot/worker.ts';
import type { ReadStanding } from '#bot/workers/transfer-work.ts';
import { listWatchedChannels } from '#domain/channel/list-watched-channels.ts';
import { hour } from '#domain/clock.ts';

interface Options {
  clientId: string;
  oauth: TwitchOAuth;
  pace: TwitchPace;
  chats: Pick<Chats, 'keepTo' | 'check'>;
}

export interface Tracking extends BotPart {
  readStanding: ReadStanding;
  leaveChannel: LeaveChannel;
}

/** Starts what follows the channels with open rules: their streams, their chats' viewers, their followers and more. */
export function startTracking(deps: BotDeps, { clientId, oauth, pace, chats }: Options): Tracking {
  const { log } = deps;
  const access = openTwitchAccess(deps, {
    clientId,
    oauth,
    permissionLost: (channelId) => parts.viewers.permissionLost(channelId),
  });
  const parts = partsOf(deps, access, pace);
  const events = listenTo(deps, access, pace, parts, () => survey.reconcileSoon());
  const { streams } = parts;
  const survey = surveyChannels({ ...deps, streams, events, chats, reconcileMs: pace.reconcileMs });

  const start = (name: string, everyMs: number, run: (signal: AbortSignal) => Promise<void>) =>
    startWorker({ name, everyMs, run, log });
  const workers = [
    start('survey-channels', pace.surveyMs, survey.round),
    ...workOn(parts, deps, pace).map(({ name, everyMs, run }) => start(name, everyMs, run)),
    start('check-grants', hour, checkGrants(deps, access, chats)),
  ];

  return {
    readStanding: askAboutStanding({ log, ...access }),
    leaveChannel: leaveChannels({ ...deps, points: channelPointsApi(access.api), ...parts }),
    report: () => ({ twitch: survey.report() }),
    nudge: () => {
      survey.reconcileSoon();
      for (const worker of workers) worker.nudge();
    },
    async stop() {
      await Promise.all([events.stop(), ...workers.map((worker) => worker.stop())]);
      await parts.viewers.settle();
    },
  };
}

type Parts = ReturnType<typeof partsOf>;

/** What follows one kind of thing each. */
function partsOf(deps: BotDeps, { api, onFault }: TwitchAccess, pace: TwitchPace) {
  const { watchMs, retryAfterMs, redemptionsMs, restMs } = pace;
  const common = { ...deps, api, onFault, retryAfterMs, restMs, points: channelPointsApi(api) };
  const customRewards = keepCustomRewards(common);
  const { seen } = customRewards;
  const ownLogins = deps.config.twitch.botLogins;
  return {
    streams: trackStreams(common),
    follows: readFollows(common),
    subscribers: readSubscribers(common),
    viewers: watchChatters({ ...common, ownLogins, roundEveryMs: watchMs }),
    customRewards,
    redemptions: pollRedemptions({ ...common, everyMs: redemptionsMs, seen }),
    teller: tellRedemptions(common),
  };
}

/** What each part does at intervals. */
function workOn(parts: Parts, deps: BotDeps, { watchMs, followMs, pointsMs }: TwitchPace) {
  const watched = () => listWatchedChannels(deps.database.read);
  const { follows, subscribers, viewers, customRewards, redemptions, teller } = parts;
  return [
    { name: 'watch-chatters', everyMs: watchMs, run: viewers.round },
    {
      name: 'read-follows',
      everyMs: followMs,
      run: async (signal: AbortSignal) => follows.round(await watched(), signal),
    },
    {
      name: 'read-subscribers',
      everyMs: followMs,
      run: async (signal: AbortSignal) => subscribers.round(await watched(), signal),
    },
    { name: 'sweep-channels', everyMs: followMs, run: sweepHourly(deps) },
    { name: 'keep-custom-rewards', everyMs: pointsMs, run: customRewards.round },
    { name: 'poll-redemptions', everyMs: pointsMs, run: redemptions.round },
    { name: 'tell-redemptions', everyMs: pointsMs, run: teller.round },
  ];
}

/** Hears what Twitch tells of the channels; polls of the same parts find what was not heard. */
function listenTo(
  deps: BotDeps,
  { api, check }: TwitchAccess,
  { conduitFrom, retryAfterMs }: TwitchPace,
  { streams, follows, subscribers, redemptions }: Parts,
  reconcileSoon: () => void,
) {
  const topics = eventTopics({
    streams: {
      async online(channelId, streamId, startedAtMs) {
        await streams.online(channelId, streamId, startedAtMs);
        // The event names neither game nor title.
        reconcileSoon();
      },
      offline: streams.offline,
      catchUp: reconcileSoon,
    },
    follows,
    subscribers,
    redemptions,
  });
  const { mockApiPort } = deps.config.twitch;
  const given = { api, topics, mockApiPort, conduitFrom, retryAfterMs, permissionDoubted: check };
  return listenToEvents({ ...deps, ...given });
}

/** Twitch asks every application to look at its tokens hourly. */
function checkGrants({ database, log }: BotDeps, { check }: TwitchAccess, chats: Options['chats']) {
  return async (signal: AbortSignal): Promise<void> => {
    for (const { id, hasOpenRule } of await listWatchedChannels(database.read))
      if (hasOpenRule && !signal.aborted) await check(id);
    await chats.check().catch((error) => {
      log.warn({ code: twitchFaultOf(error).code }, 'a chat account could not be checked');
    });
  };
}
