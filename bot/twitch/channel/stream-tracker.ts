import type { BotDeps } from '#bot/deps.ts';
import { watchGaps } from '#bot/metrics.ts';
import type { NamedStream, TwitchApi } from '#bot/twitch/api.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { isAbsent } from '#domain/channel/absence.ts';
import { recordNames, type TwitchName } from '#domain/channel/record-names.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';
import {
  type LiveStream,
  recordRepeat,
  recordStream,
  recordUnlisted,
} from '#domain/watch-time/record-stream.ts';
import { steadyMs } from '#platform/steady-time.ts';

interface StreamEvent {
  /** The live stream according to the event; null if offline. */
  streamId: string | null;
  /** The stream that was live before the channel went offline. */
  endedStreamId: string | null;
  /** True once a poll has listed the stream. */
  wasListed: boolean;
  atMs: number;
}

type Deps = Pick<BotDeps, 'db' | 'clock'> & {
  api: Pick<TwitchApi, 'streamsOf'>;
  /** For this long, Get Streams may still list an ended stream, or not yet list a new one. Steady time. */
  lagMs: number;
  /** Interval between polls while one has missed a stream. Steady time. */
  repollMs: number;
};

/**
 * Decides from events and polls which channels are live. Events are early but may be lost; polls are late, and
 * leave streams out for minutes. So an event counts at once, and a poll that contradicts it counts only once
 * Twitch's lag has passed. A stream ends when a poll, long enough after the first that missed it, misses it
 * too. One that an event began and no poll has listed is recorded as a gap until an event ends it.
 */
export function trackStreams({ db, clock, api, lagMs, repollMs }: Deps) {
  const lastEvents = new Map<string, StreamEvent>();
  const current = new Map<string, string | null>();
  const missed = new Map<string, number>();
  const inOrder = queueByChannel();
  const record = async (channelId: string, stream: LiveStream | null, endedId: string | null = null) => {
    const gaps = await recordStream(db, { channelId, stream, endedId }, clock.now());
    watchGaps.inc({ reason: 'notPolled' }, gaps);
    current.set(channelId, stream?.streamId ?? null);
  };
  const recordPoll = pollRecorder({ db, clock }, { lastEvents, current, missed }, record);

  return {
    /**
     * Polls Twitch for all these channels and records the result. Returns when to poll again because an event
     * contradicts it, and a later one may have been lost, or because it missed a stream.
     */
    async reconcile(channels: readonly Pick<WatchedChannel, 'id' | 'login' | 'live'>[]): Promise<NextDue> {
      const ids = channels.map(({ id }) => id);
      const live = await api.streamsOf(ids);
      await recordNames(
        db,
        channels.flatMap(({ id, login }) => renamed(live.get(id), { id, login })),
      );
      let againInMs: NextDue = null;
      for (const { id, live: wasLive } of channels) {
        const stream = live.get(id) ?? null;
        // An unclear answer changes nothing.
        if (stream === 'unclear') continue;
        await inOrder(id, async () => {
          const outdatedMs = outdatedForMs(stream, lastEvents.get(id), lagMs);
          againInMs = soonest(againInMs, outdatedMs);
          if (outdatedMs !== null) return;
          await recordPoll(id, stream, wasLive);
          if (missed.has(id)) againInMs = soonest(againInMs, repollMs);
        });
      }
      return againInMs;
    },

    /** Handles a stream's start. The event has neither game nor title; the next poll does. */
    online(channelId: string, streamId: string, startedAtMs: number): Promise<void> {
      lastEvents.set(channelId, { streamId, endedStreamId: null, atMs: steadyMs(), wasListed: false });
      return inOrder(channelId, async () => {
        if (lastEvents.get(channelId)?.streamId !== streamId || current.get(channelId) === streamId) return;
        await record(channelId, { streamId, startedAtMs });
      });
    },

    /** Handles a rerun or another repetition: Get Streams lists it like a stream (sogeBot issue 538). */
    repeat(channelId: string, streamId: string): Promise<void> {
      return inOrder(channelId, () => recordRepeat(db, { channelId, streamId }, clock.now()));
    },

    /**
     * Handles a stream's end. Since June 2026 the event names the stream (twitch-rs/twitch_api pull 538): the
     * end of another one than the live one came late, and changes nothing.
     */
    offline(channelId: string, endedId: string | null): Promise<void> {
      const liveId = lastEvents.get(channelId)?.streamId ?? current.get(channelId) ?? null;
      if (endedId !== null && liveId !== null && liveId !== endedId) return Promise.resolve();
      const endedStreamId = endedId ?? liveId;
      lastEvents.set(channelId, { streamId: null, endedStreamId, atMs: steadyMs(), wasListed: false });
      return inOrder(channelId, async () => {
        // The stored stream may be another one than we know of, so only an id that the event named is compared with it.
        if (lastEvents.get(channelId)?.streamId === null) await record(channelId, null, endedId);
      });
    },
  };
}

/** Processes each channel's changes in the order in which they arrived. */
function queueByChannel() {
  const queues = new Map<string, Promise<void>>();
  return (channelId: string, work: () => Promise<void>): Promise<void> => {
    const done = (queues.get(channelId) ?? Promise.resolve()).catch(() => {}).then(work);
    queues.set(channelId, done);
    return done;
  };
}

interface Known {
  lastEvents: ReadonlyMap<string, StreamEvent>;
  current: Map<string, string | null>;
  /** Time at which a poll first missed a channel's stream. Steady time. */
  missed: Map<string, number>;
}

/** Records what a trusted poll says about a channel. A stream that it does not list ends when a later one does not either. */
function pollRecorder(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { lastEvents, current, missed }: Known,
  record: (channelId: string, stream: LiveStream | null) => Promise<void>,
) {
  const recordAbsence = async (channelId: string): Promise<void> => {
    const sinceMs = missed.get(channelId) ?? null;
    if (!isAbsent(sinceMs, steadyMs())) missed.set(channelId, sinceMs ?? steadyMs());
    else {
      missed.delete(channelId);
      await record(channelId, null);
    }
  };
  return async (channelId: string, stream: LiveStream | null, wasLive: boolean): Promise<void> => {
    const event = lastEvents.get(channelId);
    if (stream) {
      missed.delete(channelId);
      if (event?.streamId === stream.streamId) event.wasListed = true;
      return record(channelId, stream);
    }
    if (wasLive) return recordAbsence(channelId);
    missed.delete(channelId);
    current.set(channelId, null);
    if (event?.streamId && !event.wasListed)
      await recordUnlisted(db, { channelId, streamId: event.streamId }, clock.now());
  };
}

/** Returns how long a poll is not trusted because an event contradicts it; null if it is trusted. */
function outdatedForMs(polled: LiveStream | null, event: StreamEvent | undefined, lagMs: number): NextDue {
  const leftMs = event ? event.atMs + lagMs - steadyMs() : 0;
  if (!event || leftMs <= 0) return null;
  const contradicts =
    event.streamId === null
      ? polled !== null && polled.streamId === event.endedStreamId
      : polled?.streamId !== event.streamId;
  return contradicts ? leftMs : null;
}

/** Returns the channel's new names, if its login has changed. */
function renamed(
  stream: NamedStream | 'unclear' | undefined,
  channel: Pick<WatchedChannel, 'id' | 'login'>,
): TwitchName[] {
  if (!stream || stream === 'unclear' || stream.login === channel.login) return [];
  return [{ twitchId: channel.id, login: stream.login, displayName: stream.displayName }];
}
