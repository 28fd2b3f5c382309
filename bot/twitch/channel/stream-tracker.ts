import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import type { WatchedChannel } from '#domain/channel/list-watched-channels.ts';
import { type LiveStream, recordStream } from '#domain/channel/record-stream.ts';
import { minute } from '#domain/time.ts';

/** Get Streams lags: for this long it may still list a stream that ended, or not yet one that began. System time. */
const LAG_MS = 3 * minute;

interface StreamEvent {
  /** The stream that an event said to be on; null: it said off. */
  streamId: string | null;
  /** The stream that was on before it was said to be off. */
  endedStreamId: string | null;
  atMs: number;
}

type Deps = Pick<BotDeps, 'database' | 'clock'> & { api: Pick<TwitchApi, 'streamsOf'> };

/**
 * Decides from events and polls which channels are live. Events are early and may be lost; polls are late and complete.
 * So an event counts at once, and a poll that contradicts it counts only after Twitch's lag.
 */
export function trackStreams({ database, clock, api }: Deps) {
  const lastEvents = new Map<string, StreamEvent>();
  const current = new Map<string, string | null>();
  const queues = new Map<string, Promise<void>>();

  /** What concerns one channel happens in the order in which it was told. */
  const inOrder = (channelId: string, work: () => Promise<void>): Promise<void> => {
    const done = (queues.get(channelId) ?? Promise.resolve()).catch(() => {}).then(work);
    queues.set(channelId, done);
    return done;
  };

  const isOutdated = (channelId: string, polled: LiveStream | null): boolean => {
    const event = lastEvents.get(channelId);
    if (!event || Date.now() - event.atMs > LAG_MS) return false;
    if (event.streamId !== null) return polled === null || polled.streamId !== event.streamId;
    return polled !== null && polled.streamId === event.endedStreamId;
  };

  const record = async (channelId: string, stream: LiveStream | null) => {
    await recordStream(database, { channelId, stream }, clock.now());
    current.set(channelId, stream?.streamId ?? null);
  };

  return {
    /** Asks Twitch about all of them and records what it says. */
    async reconcile(channels: readonly Pick<WatchedChannel, 'id' | 'live'>[]): Promise<void> {
      const ids = channels.map(({ id }) => id);
      const live = await api.streamsOf(ids);
      for (const { id, live: wasLive } of channels) {
        const stream = live.get(id) ?? null;
        await inOrder(id, async () => {
          if (isOutdated(id, stream)) return;
          if (stream || wasLive) await record(id, stream);
          else current.set(id, null);
        });
      }
    },

    /** An event said that a stream began. It names neither game nor title; the next poll does. */
    online(channelId: string, streamId: string, startedAtMs: number): Promise<void> {
      lastEvents.set(channelId, { streamId, endedStreamId: null, atMs: Date.now() });
      return inOrder(channelId, async () => {
        if (lastEvents.get(channelId)?.streamId !== streamId || current.get(channelId) === streamId) return;
        await record(channelId, { streamId, startedAtMs });
      });
    },

    /** An event said that the channel went off. */
    offline(channelId: string): Promise<void> {
      const endedStreamId = lastEvents.get(channelId)?.streamId ?? current.get(channelId) ?? null;
      lastEvents.set(channelId, { streamId: null, endedStreamId, atMs: Date.now() });
      return inOrder(channelId, async () => {
        if (lastEvents.get(channelId)?.streamId === null) await record(channelId, null);
      });
    },
  };
}
