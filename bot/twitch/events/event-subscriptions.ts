import type { BotDeps } from '#bot/deps.ts';
import type { EventApi } from '#bot/twitch/events/event-api.ts';
import { type CarrierEvents, isPersonal, type WantedSubscription } from '#bot/twitch/events/event-carrier.ts';
import type { Revocation } from '#bot/twitch/events/event-message.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

const BATCH_SIZE = 10;
/** How many subscriptions one round makes, and how many it ends, at most: in between, dead shards are found. */
const MAX_PER_ROUND = 50;

/** One topic of one channel. */
interface ChannelTopic {
  channelId: string;
  topic: Topic;
}

interface Deps {
  log: BotDeps['log'];
  api: Pick<EventApi, 'listOfConduit' | 'subscribeConduit' | 'unsubscribeConduit'>;
  events: CarrierEvents;
  /** The pause before a refused subscription is retried. System time. */
  retryMs: number;
}

const keyOf = (channelId: string, type: string): string => `${channelId} ${type}`;
const channelTopicsOf = (wanted: WantedSubscription): ChannelTopic[] =>
  [...wanted].flatMap(([channelId, topics]) => topics.map((topic) => ({ channelId, topic })));
/** Streams come first: without them nothing else on a channel counts. */
const streamsFirst = (one: ChannelTopic, other: ChannelTopic): number =>
  Number(one.topic.scope !== null) - Number(other.topic.scope !== null);

/** A conduit's subscriptions: read from Twitch, which stores them, and synced to those wanted. */
export function conduitSubscriptions({ log, api, events, retryMs }: Deps) {
  /** Ids by channel and topic; null: it already existed and Twitch did not return its id. */
  let made = new Map<string, string | null>();
  const refusals = trackRefusals(retryMs);
  const retryInMs = ({ channelId, topic }: ChannelTopic) => refusals.retryInMs(keyOf(channelId, topic.type));

  const subscribe = async ({ channelId, topic }: ChannelTopic, conduitId: string): Promise<void> => {
    const key = keyOf(channelId, topic.type);
    events.mayMiss(channelId, topic);
    try {
      made.set(key, await api.subscribeConduit(channelId, topic, conduitId));
      events.subscribed(channelId, topic);
    } catch (error) {
      const fault = twitchFaultOf(error);
      refusals.add(key);
      log.warn({ channelId, topic: topic.type, code: fault.code, err: fault }, 'subscribing failed');
      if (fault.retry === 'afterHuman') events.permissionRefused(channelId);
    }
  };

  const unsubscribe = async (key: string, id: string | null): Promise<void> => {
    made.delete(key);
    if (id) await endSubscription({ api, log }, key, id);
  };

  const isMade = ({ channelId, topic }: ChannelTopic): boolean => made.has(keyOf(channelId, topic.type));

  return {
    isMade: (channelId: string, topic: Topic) => isMade({ channelId, topic }),
    /** Reads the existing subscriptions from Twitch and removes disabled ones, so that they are created again. */
    async read(conduitId: string): Promise<void> {
      const listed = await api.listOfConduit(conduitId);
      made = new Map(listed.map(({ id, type, channelId }) => [keyOf(channelId, type), id]));
      const broken = listed.filter(({ isEnabled }) => !isEnabled);
      await inBatches(broken, ({ id, type, channelId }) => unsubscribe(keyOf(channelId, type), id));
    },
    /** Subscribes to some missing topics, streams first, and unsubscribes from some that are no longer wanted. */
    async sync(wanted: WantedSubscription, conduitId: string): Promise<void> {
      const all = channelTopicsOf(wanted);
      const unwanted = unwantedOf(made, all).slice(0, MAX_PER_ROUND);
      await inBatches(unwanted, ([key, id]) => unsubscribe(key, id));
      const missing = all.filter((each) => !isMade(each) && retryInMs(each) === 0).sort(streamsFirst);
      await inBatches(missing.slice(0, MAX_PER_ROUND), (each) => subscribe(each, conduitId));
    },
    /** Milliseconds until the next missing subscription may be made or an unwanted one ended, at most the usual pause. */
    nextRetryInMs(wanted: WantedSubscription): number {
      const all = channelTopicsOf(wanted);
      if (unwantedOf(made, all).length > 0) return 0;
      const missing = all.filter((each) => !isMade(each));
      return missing.reduce((soonestMs, each) => Math.min(soonestMs, retryInMs(each)), retryMs);
    },
    /** Reports that recent events may be lost. */
    mayMissAll(wanted: WantedSubscription): void {
      for (const { channelId, topic } of channelTopicsOf(wanted)) events.mayMiss(channelId, topic);
    },
    /** Reports all existing subscriptions as receiving again. */
    catchUpAll(wanted: WantedSubscription): void {
      const known = channelTopicsOf(wanted).filter(isMade);
      for (const { channelId, topic } of known) events.subscribed(channelId, topic);
    },
    revoked({ subscriptionId, type, channelId, status }: Revocation): void {
      const key = keyOf(channelId, type);
      if (made.get(key) === subscriptionId) made.delete(key);
      refusals.add(key);
      log.warn({ channelId, topic: type, status }, 'Twitch revoked a subscription');
      if (isPersonal(status)) events.permissionRefused(channelId);
    },
    clear: (): void => void made.clear(),
  };
}

function unwantedOf(made: ReadonlyMap<string, string | null>, wanted: readonly ChannelTopic[]) {
  const keys = new Set(wanted.map(({ channelId, topic }) => keyOf(channelId, topic.type)));
  return [...made].filter(([key]) => !keys.has(key));
}

/** A subscription that Twitch does not remove does no harm. */
async function endSubscription(
  { api, log }: Pick<Deps, 'api' | 'log'>,
  key: string,
  id: string,
): Promise<void> {
  await api.unsubscribeConduit(id).catch((error) => {
    log.debug({ key, code: twitchFaultOf(error).code }, 'unsubscribing failed');
  });
}

/** Tracks refused subscriptions until they may be retried. */
function trackRefusals(retryMs: number) {
  const refusedAtMs = new Map<string, number>();
  return {
    add: (key: string): void => void refusedAtMs.set(key, Date.now()),
    retryInMs: (key: string): number => Math.max(0, (refusedAtMs.get(key) ?? 0) + retryMs - Date.now()),
  };
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += BATCH_SIZE)
    await Promise.all(all.slice(from, from + BATCH_SIZE).map(work));
}
