import type { BotDeps, BotPart } from '#bot/deps.ts';
import { endAll } from '#bot/end-all.ts';
import type { LeasedDeps } from '#bot/leases.ts';
import type { ReadStanding } from '#bot/steam/transfers/transfer-work.ts';
import { readFollows } from '#bot/twitch/channel/follow-reader.ts';
import { readBroadcasters } from '#bot/twitch/channel/read-broadcasters.ts';
import { readNames } from '#bot/twitch/channel/read-names.ts';
import { standingReader } from '#bot/twitch/channel/read-standing.ts';
import { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import { readSubscribers } from '#bot/twitch/channel/subscriber-reader.ts';
import { surveyChannels } from '#bot/twitch/channel/survey-channels.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import type { Chats } from '#bot/twitch/chat/start-chats.ts';
import { listenToEvents } from '#bot/twitch/events/event-listener.ts';
import { eventTopics } from '#bot/twitch/events/event-topics.ts';
import { checkLinks } from '#bot/twitch/grants/check-links.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { openTwitchAccess, type TwitchAccess } from '#bot/twitch/grants/twitch-access.ts';
import type { TwitchPace } from '#bot/twitch/pace/twitch-pace.ts';
import { channelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { maintainCustomRewards } from '#bot/twitch/points/custom-reward-keeper.ts';
import { type LeaveChannel, leaveChannels } from '#bot/twitch/points/leave-channel.ts';
import { pollRedemptions } from '#bot/twitch/points/redemption-poller.ts';
import { settleRedemptions } from '#bot/twitch/points/redemption-settler.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { atIntervals, startWorker, type Worker, type WorkerOptions } from '#bot/worker.ts';
import { hour } from '#domain/kernel/time.ts';

interface Options {
  clientId: string;
  oauth: TwitchOAuth;
  pace: TwitchPace;
  watched: ReadWatched;
  chats: Pick<Chats, 'setChannels' | 'wantedTopics' | 'changesCarrier' | 'receive' | 'check' | 'checkSoon'>;
}

export interface Tracking extends BotPart {
  readStanding: ReadStanding;
  leaveChannel: LeaveChannel;
}

/** A poll of a thousand channels takes ten calls, as many as the application’s token regains in a second. */
const CATCH_UP_ROUNDS = 5;

/** Starts tracking channels with open rules: their streams, followers, subscribers and redemptions. */
export function startTracking(
  deps: LeasedDeps,
  { clientId, oauth, pace, watched, chats }: Options,
): Tracking {
  const { log, changes } = deps;
  const workers: Record<string, Worker> = {};
  const nudge = (name: WorkName) => workers[name]?.nudge();
  const access = openTwitchAccess(deps, {
    clientId,
    oauth,
  });
  const soon = (name: WorkName) => workers[name]?.soon();
  const receivesAllEvents = (channelId: string) => events.receivesAll(channelId);
  const parts = createParts({ ...deps, watched, nudge, soon, receivesAllEvents }, access, pace);
  const reconcile = {
    now: () => {
      survey.reconcileSoon();
      nudge('survey-channels');
    },
    catchUp: () => {
      survey.catchUp();
      soon('survey-channels');
    },
  };
  const events = startListening(
    { ...deps, receiveChat: (...line) => chats.receive(...line), chatRevoked: () => chats.checkSoon() },
    access,
    pace,
    parts,
    reconcile,
  );
  const { streams } = parts;
  const survey = surveyChannels({
    log,
    watched,
    streams,
    events,
    chats,
    reconcileMs: pace.reconcileMs,
    catchUpMs: CATCH_UP_ROUNDS * pace.surveyMs,
  });

  const work = listWork({ ...parts, survey }, { ...deps, ...access, watched }, pace);
  for (const [name, [everyMs, run]] of Object.entries(work))
    workers[name] = startWorker({ name, everyMs, run, changes, log });
  const checking = startWorker({
    name: 'check-grants',
    everyMs: hour,
    run: atIntervals(hour, checkGrants({ log, watched }, access, chats)),
    log,
  });
  const all = [...Object.values(workers), checking];

  return {
    readStanding: standingReader({ log, ...access, ...parts }),
    leaveChannel: leaveChannels({ ...deps, points: channelPointsApi(access.api), ...parts }),
    report: () => ({ twitch: survey.report() }),
    nudge: () => {
      survey.reconcileSoon();
      for (const worker of all) worker.nudge();
    },
    async stop() {
      await endAll(log, [events.stop(), ...all.map((worker) => worker.stop())]);
      await endAll(
        log,
        [parts.follows, parts.subscribers].map((part) => part.settle()),
      );
    },
  };
}

type Parts = ReturnType<typeof createParts>;

type WorkName = keyof ReturnType<typeof listWork>;

/** Creates one part per kind of fact. */
function createParts(
  deps: BotDeps & {
    watched: ReadWatched;
    nudge(name: WorkName): void;
    soon(name: WorkName): void;
    receivesAllEvents(channelId: string): boolean;
  },
  { api, onFault }: TwitchAccess,
  pace: TwitchPace,
) {
  const { retryAfterMs, restMs } = pace;
  const { nudge, soon } = deps;
  const common = { ...deps, api, onFault, retryAfterMs, restMs, points: channelPointsApi(api) };
  // Every poll reports custom rewards; `soon` combines the reports into one round.
  const customRewards = maintainCustomRewards({ ...common, wake: () => soon('maintain-custom-rewards') });
  const { seen } = customRewards;
  return {
    streams: trackStreams({ ...common, lagMs: pace.streamLagMs, repollMs: pace.missedStreamMs }),
    follows: readFollows({ ...common, wake: () => nudge('read-follows') }),
    subscribers: readSubscribers({ ...common, wake: () => nudge('read-subscribers') }),
    customRewards,
    redemptions: pollRedemptions({
      ...common,
      everyMs: pace.redemptionsMs,
      pausedEveryMs: pace.pausedRedemptionsMs,
      seen,
      wake: () => nudge('poll-redemptions'),
    }),
    settler: settleRedemptions(common),
  };
}

/** Each part's work and its usual interval. */
function listWork(
  parts: Parts & { survey: ReturnType<typeof surveyChannels> },
  deps: Pick<BotDeps, 'db' | 'clock' | 'log'> & { watched: ReadWatched } & Pick<
      TwitchAccess,
      'api' | 'validate'
    >,
  { surveyMs, followMs, pointsMs }: TwitchPace,
) {
  const { watched } = deps;
  const { survey, follows, subscribers, customRewards, redemptions, settler } = parts;
  type Work = [everyMs: number, run: WorkerOptions['run']];
  return {
    'survey-channels': [surveyMs, survey.round],
    'read-follows': [followMs, async (signal) => follows.round(await watched(), signal)],
    'read-subscribers': [followMs, async (signal) => subscribers.round(await watched(), signal)],
    'read-broadcasters': [followMs, readBroadcasters(deps)],
    'read-names': [followMs, readNames(deps)],
    'check-links': [followMs, checkLinks(deps)],
    'maintain-custom-rewards': [pointsMs, customRewards.round],
    'poll-redemptions': [pointsMs, redemptions.round],
    'settle-redemptions': [pointsMs, settler.round],
  } satisfies Record<string, Work>;
}

/** Subscribes to events; polls of the same parts find what events missed. */
function startListening(
  deps: BotDeps & { receiveChat: Chats['receive']; chatRevoked: Chats['checkSoon'] },
  { api, check }: TwitchAccess,
  { conduitFrom, retryAfterMs }: TwitchPace,
  { streams, follows, subscribers, redemptions }: Parts,
  reconcile: Record<'now' | 'catchUp', () => void>,
) {
  const topics = eventTopics({
    streams: {
      async online(channelId, streamId, startedAtMs) {
        await streams.online(channelId, streamId, startedAtMs);
        // The event has neither game nor title.
        reconcile.now();
      },
      offline: streams.offline,
      repeat: streams.repeat,
      catchUp: reconcile.catchUp,
    },
    follows,
    subscribers,
    redemptions,
  });
  const { mockApiPort } = deps.config.twitch;
  const given = { api, topics, mockApiPort, conduitFrom, retryAfterMs, permissionRefused: check };
  return listenToEvents({ ...deps, ...given });
}

/** Twitch requires applications to validate their tokens hourly. */
function checkGrants(
  { log, watched }: Pick<BotDeps, 'log'> & { watched: ReadWatched },
  { check }: TwitchAccess,
  chats: Options['chats'],
) {
  return async (signal: AbortSignal): Promise<void> => {
    for (const { id, hasOpenRule } of await watched()) if (hasOpenRule && !signal.aborted) await check(id);
    await chats.check().catch((error) => {
      log.warn({ code: twitchFaultOf(error).code }, 'could not check a chat account');
    });
  };
}
