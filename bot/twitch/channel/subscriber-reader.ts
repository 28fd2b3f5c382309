import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import {
  handleSubscriptionEvent,
  type SubscriptionEvent,
} from '#domain/audience/handle-subscription-event.ts';
import { recordSubscribers, type Subscriber } from '#domain/channel/record-subscribers.ts';
import { recordSubscribersFault } from '#domain/channel/record-subscribers-fault.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';

/** The complete list shows changes that no event reported. Domain time. */
const READ_EVERY_MS = 4 * hour;
/** The shortest time between two readings of the list when events may have been missed. Domain time. */
const REREAD_AFTER_MS = 2 * minute;
const MAX_PAUSE_MS = 30 * minute;

interface Reading {
  /** Domain time; -Infinity before the first reading. */
  readAtMs: number;
  failures: number;
  /** System time. */
  retryAtMs: number;
  /** True if changes may have been missed that only the complete list shows. */
  isStale: boolean;
  /**
   * Changes reported by events while the list was being read and recorded, because parts of it may be older.
   */
  meanwhile: SubscriptionEvent[];
}

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  api: Pick<TwitchApi, 'subscribersOf'>;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
  /** Called when something is due sooner than the last round assumed. */
  wake(): void;
};

/**
 * Maintains the subscribers of channels whose rules need them, by the complete list every few hours and by
 * events in between. Gift subs count like any other.
 */
export function readSubscribers({ db, clock, log, api, onFault, retryAfterMs, wake }: Deps) {
  const readings = new Map<string, Reading>();

  const read = async (channelId: string, reading: Reading, signal: AbortSignal): Promise<void> => {
    Object.assign(reading, { meanwhile: [], isStale: false });
    const nowMs = clock.now();
    let listed: Subscriber[];
    try {
      listed = await api.subscribersOf(channelId, signal);
    } catch (error) {
      if (!signal.aborted) await recordTrouble(channelId, reading, twitchFaultOf(error));
      return;
    }
    const subscribers = listedNow(listed, reading.meanwhile);
    const included = reading.meanwhile.length;
    await recordSubscribers(db, { channelId, subscribers, readAtMs: nowMs });
    // The array grows during this loop, which handles again what a part of the list may have undone.
    for (let next = included; next < reading.meanwhile.length; next++)
      await handleSubscriptionEvent(db, reading.meanwhile[next] as SubscriptionEvent, clock.now());
    Object.assign(reading, { readAtMs: nowMs, failures: 0, retryAtMs: 0 });
    const qualified = await evaluateChannel(db, channelId, clock.now());
    log.info({ channelId, subscribers: subscribers.length, qualified }, 'subscribers read');
  };

  const recordTrouble = async (channelId: string, reading: Reading, fault: TwitchFault) => {
    reading.retryAtMs = Date.now() + Math.min(MAX_PAUSE_MS, retryAfterMs * 2 ** reading.failures);
    reading.failures += 1;
    log.warn({ channelId, code: fault.code, err: fault }, 'could not read the subscribers');
    if (fault.code === 'notAffiliate')
      await recordSubscribersFault(db, { channelId, fault: 'notAffiliate' }, clock.now());
    await onFault(channelId, fault);
  };

  const readInMs = ({ readAtMs, isStale, retryAtMs }: Reading): number => {
    const againAtMs = readAtMs + (isStale ? REREAD_AFTER_MS : READ_EVERY_MS);
    return Math.max(againAtMs - clock.now(), retryAtMs - Date.now());
  };

  return {
    /** Reads the lists that are due, one channel after another. */
    async round(channels: readonly WatchedChannel[], signal: AbortSignal): Promise<NextDue> {
      const needing = channels.filter((one) => one.needs.subscriber);
      const wanted = new Set(needing.map(({ id }) => id));
      for (const channelId of readings.keys()) if (!wanted.has(channelId)) readings.delete(channelId);
      for (const channelId of wanted) {
        if (signal.aborted) return null;
        const reading = readings.get(channelId) ?? newReading();
        readings.set(channelId, reading);
        if (readInMs(reading) <= 0) await read(channelId, reading, signal);
      }
      return soonest(...[...readings.values()].map(readInMs));
    },
    /** Handles the start, renewal or end of a subscription. */
    async handleSubscription(channelId: string, change: Omit<SubscriptionEvent, 'channelId'>): Promise<void> {
      const reading = readings.get(channelId);
      if (!reading) return;
      const event = { channelId, ...change };
      reading.meanwhile.push(event);
      await handleSubscriptionEvent(db, event, clock.now());
    },
    /** Rereads the list soon, because events may have been missed. */
    catchUp(channelId: string): void {
      const reading = readings.get(channelId);
      if (!reading) return;
      reading.isStale = true;
      wake();
    },
  };
}

/** The list with all changes that events have reported since. */
function listedNow(listed: readonly Subscriber[], events: readonly SubscriptionEvent[]): Subscriber[] {
  const everyone = new Map(listed.map((one) => [one.twitchId, one]));
  for (const { twitchId, tier, ended } of events) {
    if (!ended) everyone.set(twitchId, { twitchId, tier });
    else if (everyone.get(twitchId)?.tier === tier) everyone.delete(twitchId);
  }
  return [...everyone.values()];
}

const newReading = (): Reading => ({
  readAtMs: Number.NEGATIVE_INFINITY,
  failures: 0,
  retryAtMs: 0,
  isStale: false,
  meanwhile: [],
});
