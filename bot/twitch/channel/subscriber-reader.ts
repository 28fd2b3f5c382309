import type { BotDeps } from '#bot/deps.ts';
import type { TwitchApi } from '#bot/twitch/api.ts';
import { channelTurns, type Turn } from '#bot/twitch/channel/channel-turns.ts';
import { askAboutViewers } from '#bot/twitch/channel/viewer-questions.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import type { SubscriberTier } from '#db/schema/rule.ts';
import {
  handleSubscriptionEvent,
  type SubscriptionEvent,
} from '#domain/audience/handle-subscription-event.ts';
import { CHECKS_APART_MS, judgeList, type Shortfall } from '#domain/channel/absence.ts';
import type { SubscriberStatus } from '#domain/channel/record-subscriber.ts';
import { recordSubscribers, type Subscriber } from '#domain/channel/record-subscribers.ts';
import { recordSubscribersFault } from '#domain/channel/record-subscribers-fault.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import type { WatchedChannel } from '#domain/rule/list-watched-channels.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** The complete list shows changes that no event reported. Domain time. */
const READ_EVERY_MS = 4 * hour;
/** The shortest time between two readings of the list when events may have been missed. Domain time. */
const REREAD_AFTER_MS = 2 * minute;
const MAX_PAUSE_MS = 30 * minute;
/** Each channel's list is read with its own grant, and recorded in the store that all share. */
const MAX_AT_ONCE = 5;

interface Reading {
  /** Domain time; -Infinity before the first reading. */
  readAtMs: number;
  failures: number;
  /** Steady time. */
  retryAtMs: number;
  /** True if changes may have been missed that only the complete list shows. */
  isStale: boolean;
  /** True if another reading has to confirm that somebody no longer subscribes. */
  isToConfirm: boolean;
  shortfall: Shortfall | null;
  /**
   * Changes that events or answers about one viewer reported while the list was being read and recorded, because
   * parts of it may be older.
   */
  meanwhile: SubscriptionEvent[];
}

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  api: Pick<TwitchApi, 'subscribersOf' | 'subscriberTier'>;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
  /** Called when something is due sooner than the last round assumed. */
  wake(): void;
};

/** The turn of each reading, by the time until it is due. */
const turnsOf = (
  readings: ReadonlyMap<string, Reading>,
  inMs: (channelId: string, reading: Reading) => number,
): Turn[] => [...readings].map(([channelId, reading]) => ({ channelId, inMs: inMs(channelId, reading) }));

/**
 * Maintains the subscribers of channels whose rules need them, by the complete list every few hours and by
 * events in between; viewers who meet everything else are asked about. Gift subs count like any other.
 */
export function readSubscribers(deps: Deps) {
  const { db, clock, log, onFault, retryAfterMs, wake } = deps;
  const readings = new Map<string, Reading>();

  const onTrouble = async (channelId: string, error: unknown): Promise<void> => {
    const reading = readings.get(channelId);
    if (!reading) return;
    const fault = twitchFaultOf(error);
    reading.retryAtMs = steadyMs() + Math.min(MAX_PAUSE_MS, retryAfterMs * 2 ** reading.failures);
    reading.failures += 1;
    log.warn({ channelId, code: fault.code, err: fault }, 'could not read the subscribers');
    if (fault.code === 'notAffiliate')
      await recordSubscribersFault(db, { channelId, fault: 'notAffiliate' }, clock.now());
    await onFault(channelId, fault);
  };

  const lists = channelTurns({ places: MAX_AT_ONCE, work: 'a list of subscribers', log, retryAfterMs, wake });
  const ask = subscriberQuestion(deps, (event) => readings.get(event.channelId)?.meanwhile.push(event));
  const questions = askAboutViewers({ ...deps, missingOn: 'subscriber', onTrouble, ask });

  const retryInMs = ({ retryAtMs }: Reading): number => retryAtMs - steadyMs();

  return {
    /** Starts the readings and questions that are due, without waiting for them. */
    async round(channels: readonly WatchedChannel[], signal: AbortSignal): Promise<NextDue> {
      const wanted = new Set(channels.flatMap(({ id, needs }) => (needs.subscriber ? id : [])));
      for (const channelId of readings.keys())
        if (!wanted.has(channelId) && !lists.isUnderWay(channelId)) readings.delete(channelId);
      for (const channelId of wanted) if (!readings.has(channelId)) readings.set(channelId, newReading());
      const toRead = turnsOf(readings, (_, reading) =>
        Math.max(listInMs(reading, clock.now()), retryInMs(reading)),
      );
      const read = (channelId: string) => readList(deps, channelId, readings, signal, onTrouble);
      const nextList = lists.start(toRead, read);
      // The list answers most questions.
      const toAsk = turnsOf(readings, (channelId, reading) =>
        lists.isUnderWay(channelId) ? Number.POSITIVE_INFINITY : retryInMs(reading),
      );
      return soonest(questions.round(toAsk, signal), nextList);
    },
    /** Resolves when the readings and questions under way have ended. */
    async settle(): Promise<void> {
      await Promise.all([lists.settle(), questions.settle()]);
    },
    /** Handles the start, renewal or end of a subscription. */
    async handleSubscription(
      channelId: string,
      change: { twitchId: string; tier: SubscriberTier; ended: boolean },
    ): Promise<void> {
      const reading = readings.get(channelId);
      if (!reading) return;
      const event = { channelId, ...change };
      reading.meanwhile.push(event);
      await handleSubscriptionEvent(db, event, clock.now());
    },
    /** Takes Twitch's answer about one viewer, which its asker records; an older list does not undo it. */
    handleAnswer({ channelId, twitchId, tier }: SubscriberStatus): void {
      const change = tier === null ? { tier, ended: true as const } : { tier, ended: false };
      readings.get(channelId)?.meanwhile.push({ channelId, twitchId, ...change });
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

/** Asks about one viewer and records a subscription: a pack of gifts may not be listed (twitchdev/issues 184). */
const subscriberQuestion =
  ({ db, clock, api }: Deps, onAnswer: (event: SubscriptionEvent) => void) =>
  async (channelId: string, twitchId: string): Promise<number> => {
    const tier = await api.subscriberTier(channelId, twitchId);
    if (tier === null) return 0;
    const event = { channelId, twitchId, tier, ended: false };
    onAnswer(event);
    return handleSubscriptionEvent(db, event, clock.now());
  };

/** Reads and records a channel's complete list. */
async function readList(
  { db, clock, log, api }: Deps,
  channelId: string,
  readings: ReadonlyMap<string, Reading>,
  signal: AbortSignal,
  onTrouble: (channelId: string, error: unknown) => Promise<void>,
): Promise<void> {
  const reading = readings.get(channelId);
  if (!reading) return;
  Object.assign(reading, { meanwhile: [], isStale: false });
  const nowMs = clock.now();
  let listed: Listed;
  try {
    listed = judged(await api.subscribersOf(channelId, signal), reading);
  } catch (error) {
    if (!signal.aborted) await onTrouble(channelId, error);
    return;
  }
  const subscribers = listedNow(listed.subscribers, reading.meanwhile);
  const included = reading.meanwhile.length;
  const { proves } = listed;
  const missing = await recordSubscribers(db, { channelId, subscribers, readAtMs: nowMs, proves });
  // The array grows during this loop, which handles again what a part of the list may have undone.
  for (let next = included; next < reading.meanwhile.length; next++)
    await handleSubscriptionEvent(db, reading.meanwhile[next] as SubscriptionEvent, clock.now());
  Object.assign(reading, { readAtMs: nowMs, failures: 0, retryAtMs: 0, isToConfirm: missing > 0 });
  const qualified = await evaluateChannel(db, channelId, clock.now());
  log.info({ channelId, subscribers: subscribers.length, qualified }, 'subscribers read');
}

type Listed = { subscribers: Subscriber[]; proves: boolean };

/** Judges a list by its own number. Throws if it is too short, unless it stays so. */
function judged(
  { subscribers, total }: { subscribers: Subscriber[]; total: number },
  reading: Reading,
): Listed {
  const rows = subscribers.length;
  const { is, proves, shortfall } = judgeList({ rows, total }, reading.shortfall, steadyMs());
  reading.shortfall = shortfall;
  if (is === 'short') throw new TwitchFault('unavailable', `the list has ${rows} of ${total} subscribers`);
  return { subscribers, proves };
}

function listInMs({ readAtMs, isStale, isToConfirm }: Reading, nowMs: number): number {
  if (isStale) return readAtMs + REREAD_AFTER_MS - nowMs;
  return readAtMs + (isToConfirm ? CHECKS_APART_MS : READ_EVERY_MS) - nowMs;
}

/** The list with all changes that events have reported since. */
function listedNow(listed: readonly Subscriber[], events: readonly SubscriptionEvent[]): Subscriber[] {
  const everyone = new Map(listed.map((one) => [one.twitchId, one]));
  for (const event of events) {
    const { twitchId, tier } = event;
    if (!event.ended) everyone.set(twitchId, { twitchId, tier: event.tier });
    else if (tier === null || everyone.get(twitchId)?.tier === tier) everyone.delete(twitchId);
  }
  return [...everyone.values()];
}

const newReading = (): Reading => ({
  readAtMs: Number.NEGATIVE_INFINITY,
  failures: 0,
  retryAtMs: 0,
  isStale: false,
  isToConfirm: false,
  shortfall: null,
  meanwhile: [],
});
