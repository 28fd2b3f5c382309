import type { BotDeps, BotPart, PartReport } from '#bot/deps.ts';
import { twitchApi } from '#bot/twitch/api.ts';
import { askAboutStanding } from '#bot/twitch/ask-about-standing.ts';
import { watchChatters } from '#bot/twitch/chatter-watcher.ts';
import { DatabaseAuthProvider } from '#bot/twitch/database-auth-provider.ts';
import { listenToEvents } from '#bot/twitch/event-listener.ts';
import { readFollows } from '#bot/twitch/follow-reader.ts';
import { keepGrants } from '#bot/twitch/grant-keeper.ts';
import { linkGrants } from '#bot/twitch/grant-stores.ts';
import type { TwitchOAuth } from '#bot/twitch/oauth.ts';
import type { Chats } from '#bot/twitch/start-chats.ts';
import type { TwitchPace } from '#bot/twitch/start-twitch.ts';
import { trackStreams } from '#bot/twitch/stream-tracker.ts';
import { readSubscribers } from '#bot/twitch/subscriber-reader.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { startWorker, type Worker } from '#bot/worker.ts';
import type { ReadStanding } from '#bot/workers/transfer-work.ts';
import { listWatchedChannels } from '#domain/channel/list-watched-channels.ts';
import { hour } from '#domain/clock.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';

interface Options {
  clientId: string;
  oauth: TwitchOAuth;
  pace: TwitchPace;
  chats: Pick<Chats, 'keepTo' | 'check'>;
}

export interface Tracking extends BotPart {
  readStanding: ReadStanding;
}

/** Starts what follows the channels with open rules: their streams, their chats' viewers and their followers. */
export function startTracking(deps: BotDeps, { clientId, oauth, pace, chats }: Options): Tracking {
  const { database, clock, log, config } = deps;
  const links = linkGrants(deps);
  const markDead = async (channelId: string, obtainedAtMs: number) => {
    await links.markDead(channelId, obtainedAtMs);
    viewers.permissionLost(channelId);
  };
  const grants = keepGrants({ ...links, markDead }, oauth);
  const api = twitchApi(new DatabaseAuthProvider(clientId, grants, oauth), log);
  const onFault = async (channelId: string, fault: TwitchFault) => {
    if (fault.code === 'permissionMissing') await grants.giveUp(channelId);
  };
  const check = async (channelId: string) => {
    await grants.check(channelId).catch((error) => {
      log.warn({ channelId, code: twitchFaultOf(error).code }, 'a grant could not be checked');
    });
  };

  const streams = trackStreams({ database, clock, api });
  const follows = readFollows({ ...deps, api, onFault, retryAfterMs: pace.retryAfterMs });
  const subscribers = readSubscribers({ ...deps, api, onFault, retryAfterMs: pace.retryAfterMs });
  const viewers = watchChatters({
    ...deps,
    api,
    onFault,
    ownLogins: config.twitch.botLogins,
    roundEveryMs: pace.watchMs,
    retryAfterMs: pace.retryAfterMs,
  });
  const events = listenToEvents({
    log,
    api,
    handlers: {
      online: async (channelId, streamId, startedAtMs) => {
        await streams.online(channelId, streamId, startedAtMs);
        survey.reconcileSoon();
      },
      offline: streams.offline,
      followed: follows.followed,
      ready: () => survey.reconcileSoon(),
      permissionDoubted: check,
    },
  });
  const survey = surveyChannels({ ...deps, streams, events, chats, reconcileMs: pace.reconcileMs });
  const sweep = sweepHourly(deps);

  const workers: Worker[] = [
    startWorker({ name: 'survey-channels', everyMs: pace.surveyMs, run: survey.round, log }),
    startWorker({ name: 'watch-chatters', everyMs: pace.watchMs, run: viewers.round, log }),
    startWorker({
      name: 'read-follows',
      everyMs: pace.followMs,
      run: async (signal) => follows.round(await listWatchedChannels(database.read), signal),
      log,
    }),
    startWorker({
      name: 'read-subscribers',
      everyMs: pace.followMs,
      run: async (signal) => subscribers.round(await listWatchedChannels(database.read), signal),
      log,
    }),
    startWorker({ name: 'sweep-channels', everyMs: pace.followMs, run: sweep, log }),
    startWorker({
      name: 'check-grants',
      // Twitch asks every application to look at its tokens hourly.
      everyMs: hour,
      run: async (signal) => {
        for (const { id, hasOpenRule } of await listWatchedChannels(database.read))
          if (hasOpenRule && !signal.aborted) await check(id);
        await chats.check().catch((error) => {
          log.warn({ code: twitchFaultOf(error).code }, 'a chat account could not be checked');
        });
      },
      log,
    }),
  ];

  return {
    readStanding: askAboutStanding({ log, api, onFault }),
    report: () => ({ twitch: survey.report() }),
    nudge: () => {
      survey.reconcileSoon();
      for (const worker of workers) worker.nudge();
    },
    async stop() {
      events.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
      await viewers.settle();
    },
  };
}

type SurveyDeps = Pick<BotDeps, 'database' | 'log'> & {
  streams: Pick<ReturnType<typeof trackStreams>, 'reconcile'>;
  events: Pick<ReturnType<typeof listenToEvents>, 'keepTo' | 'counts'>;
  chats: Pick<Chats, 'keepTo'>;
  reconcileMs: number;
};

/** Looks which channels are to be watched, listens to them, and asks about their streams now and then. */
function surveyChannels({ database, log, streams, events, chats, reconcileMs }: SurveyDeps) {
  let known = new Set<string>();
  let reconcileAtMs = 0;
  let fault: TwitchFault | null = null;
  let surveyed = false;
  return {
    reconcileSoon(): void {
      reconcileAtMs = 0;
    },
    async round(): Promise<void> {
      const channels = await listWatchedChannels(database.read);
      const watched = channels.filter((channel) => channel.hasOpenRule);
      events.keepTo(watched.map(({ id }) => id));
      const liveFirst = [...watched].sort((one, other) => Number(other.live) - Number(one.live));
      chats.keepTo(liveFirst.map(({ login }) => login));
      const anyNew = channels.some(({ id }) => !known.has(id));
      known = new Set(channels.map(({ id }) => id));
      if (!anyNew && Date.now() < reconcileAtMs) return;
      reconcileAtMs = Date.now() + reconcileMs;
      try {
        await streams.reconcile(channels);
        fault = null;
      } catch (error) {
        if (!(error instanceof TwitchFault)) throw error;
        fault = error;
        log.warn({ code: fault.code, err: fault }, 'Twitch did not say which channels are live');
      }
      surveyed = true;
    },
    report(): PartReport {
      if (fault) return { state: 'faulty', detail: fault.code };
      const { heard, wanted } = events.counts();
      return { state: surveyed ? 'ready' : 'starting', detail: `${heard} of ${wanted} channels heard` };
    },
  };
}

/** Every hour of domain time, and at the start, all viewers are evaluated: follows grow older without any event. */
function sweepHourly({ database, clock }: Pick<BotDeps, 'database' | 'clock'>) {
  const sweptAtMs = new Map<string, number>();
  return async (signal: AbortSignal): Promise<void> => {
    for (const { id, hasOpenRule } of await listWatchedChannels(database.read)) {
      if (signal.aborted) return;
      const nowMs = clock.now();
      if (!hasOpenRule || nowMs - (sweptAtMs.get(id) ?? Number.NEGATIVE_INFINITY) < hour) continue;
      await evaluateChannel(database, id, nowMs);
      sweptAtMs.set(id, nowMs);
    }
  };
}
