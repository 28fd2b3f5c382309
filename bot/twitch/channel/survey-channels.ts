import type { BotDeps, PartReport } from '#bot/deps.ts';
import type { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import type { ReadWatched } from '#bot/twitch/channel/watched-channels.ts';
import type { Chats } from '#bot/twitch/chat/start-chats.ts';
import type { listenToEvents } from '#bot/twitch/events/event-listener.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { steadyMs } from '#platform/steady-time.ts';

type SurveyDeps = Pick<BotDeps, 'log'> & {
  watched: ReadWatched;
  streams: Pick<ReturnType<typeof trackStreams>, 'reconcile'>;
  events: Pick<ReturnType<typeof listenToEvents>, 'setChannels' | 'stateOf' | 'counts' | 'changesCarrier'>;
  chats: Pick<Chats, 'setChannels' | 'wantedTopics' | 'changesCarrier'>;
  reconcileMs: number;
  /** Shortest time between two polls for what events may have missed. */
  catchUpMs: number;
};

/** Finds the channels to watch, subscribes to their events, joins their chats, and polls their streams at intervals. */
export function surveyChannels({ log, watched: read, streams, events, chats, ...pace }: SurveyDeps) {
  let known = new Set<string>();
  let reconcileAtMs = 0;
  let reconciledAtMs = Number.NEGATIVE_INFINITY;
  let fault: TwitchFault | null = null;
  let surveyed = false;
  return {
    reconcileSoon(): void {
      reconcileAtMs = 0;
    },
    /**
     * Polls once for all calls within a while: a start subscribes to thousands of topics, one after another.
     */
    catchUp(): void {
      reconcileAtMs = Math.min(reconcileAtMs, reconciledAtMs + pace.catchUpMs);
    },
    async round(): Promise<NextDue> {
      const channels = await read();
      const watched = channels.filter((channel) => channel.hasOpenRule);
      const liveFirst = [...watched].sort((one, other) => Number(other.live) - Number(one.live));
      chats.setChannels(
        liveFirst.map(({ id, login, allowsBot, chatFault: fault }) => ({
          channelId: id,
          login,
          allowsBot,
          fault,
        })),
        events.stateOf,
      );
      events.setChannels(
        channels.filter((channel) => channel.countsWatching),
        chats.wantedTopics(),
      );
      const anyNew = channels.some(({ id }) => !known.has(id));
      known = new Set(channels.map(({ id }) => id));
      const isChanging = () => events.changesCarrier() || chats.changesCarrier();
      const dueMs = () => (isChanging() ? 0 : reconcileAtMs - steadyMs());
      if (!anyNew && steadyMs() < reconcileAtMs) return dueMs();
      reconciledAtMs = steadyMs();
      reconcileAtMs = reconciledAtMs + pace.reconcileMs;
      try {
        const againInMs = await streams.reconcile(channels);
        if (againInMs !== null) reconcileAtMs = Math.min(reconcileAtMs, steadyMs() + againInMs);
        fault = null;
      } catch (error) {
        if (!(error instanceof TwitchFault)) throw error;
        fault = error;
        log.warn({ code: fault.code, err: fault }, 'could not read which channels are live');
      }
      surveyed = true;
      return dueMs();
    },
    report(): PartReport {
      if (fault) return { state: 'faulty', detail: fault.code };
      const { receiving, wanted, areElsewhere } = events.counts();
      return {
        state: surveyed ? 'ready' : 'starting',
        detail: areElsewhere
          ? 'another process receives the events'
          : `receiving events from ${receiving} of ${wanted} channels`,
      };
    },
  };
}
