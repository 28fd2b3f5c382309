import type { BotDeps } from '#bot/deps.ts';
import { chatTopicType, isChatType } from '#bot/twitch/chat/chat-topic.ts';
import type { EventApi, ListedSubscription } from '#bot/twitch/events/event-api.ts';
import {
  type CarrierEvents,
  isPersonal,
  type SubscriptionState,
  type WantedSubscription,
} from '#bot/twitch/events/event-carrier.ts';
import type { Revocation } from '#bot/twitch/events/event-message.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { steadyMs } from '#platform/steady-time.ts';

const BATCH_SIZE = 10;
/**
 * Maximum number of subscriptions that one round makes, and of those it ends; dead shards are found in
 * between.
 */
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
  /** The pause before a refused subscription is retried. Steady time. */
  retryMs: number;
}

/** Several chat accounts can read one chat, so their keys differ. */
const keyOf = (channelId: string, { type, readerId }: Pick<Topic, 'type' | 'readerId'>): string =>
  readerId === undefined ? `${channelId} ${type}` : `${channelId} ${type} ${readerId}`;
const isChat = (key: string): boolean => isChatType(key.split(' ')[1] ?? '');
const channelTopicsOf = (wanted: WantedSubscription): ChannelTopic[] =>
  [...wanted].flatMap(([channelId, topics]) => topics.map((topic) => ({ channelId, topic })));
/**
 * Ranks topics. Streams come first, because without them nothing else on a channel counts. Then come chats,
 * whose commands nothing else finds. Topics that only repeat others, chats' notices, and those that Twitch
 * refused before, come last: eleven thousand subscriptions, nine topics and a chat with its notices of a
 * thousand channels, are more than its points allow in a quarter of an hour.
 */
function rankOf({ topic }: ChannelTopic, wasRefused: boolean): number {
  if (wasRefused) return 4;
  if (topic.type === chatTopicType) return 1;
  if (topic.isSpare || isChatType(topic.type)) return 3;
  return topic.scope === null ? 0 : 2;
}

const keyIn = ({ channelId, topic }: ChannelTopic): string => keyOf(channelId, topic);
const allOf = (wanted: WantedSubscription, chats: WantedSubscription | null): ChannelTopic[] => [
  ...channelTopicsOf(wanted),
  ...channelTopicsOf(chats ?? new Map()),
];

export const conduitSubscriptions = (deps: Deps): ConduitSubscriptions => new ConduitSubscriptions(deps);

/** A conduit's subscriptions: read from Twitch, which stores them, and synced to those wanted. */
class ConduitSubscriptions {
  readonly #deps: Deps;
  readonly #refusals: ReturnType<typeof trackRefusals>;
  /** Ids by channel and topic. */
  #made = new Map<string, string>();
  /** Ids of disabled ones, which are ended before they are made again. */
  #broken = new Map<string, string>();
  /**
   * The wanted subscriptions for which nothing was left to do, while that is so. Going through ten thousand
   * topics each minute would create more garbage than everything else in an idle instance.
   */
  #settled: { wanted: WantedSubscription; chats: WantedSubscription | null } | null = null;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#refusals = trackRefusals(deps.retryMs);
  }

  isMade(channelId: string, topic: Topic): boolean {
    return this.#made.has(keyOf(channelId, topic));
  }

  /** Returns whether exactly these subscriptions exist, as far as is known without a search through them. */
  areSettled(wanted: WantedSubscription, chats: WantedSubscription | null): boolean {
    return this.#settled?.wanted === wanted && this.#settled.chats === chats;
  }

  stateOf(channelId: string, topic: Topic): SubscriptionState {
    const key = keyOf(channelId, topic);
    return this.#made.has(key) ? { is: 'made' } : (this.#refusals.stateOf(key) ?? { is: 'missing' });
  }

  /** Reads the existing subscriptions from Twitch. */
  async read(conduitId: string): Promise<void> {
    const listed = await this.#deps.api.listOfConduit(conduitId);
    const isEnabled = ({ status }: ListedSubscription) => status === 'enabled';
    const ended = listed.filter((one) => !isEnabled(one));
    this.#settled = null;
    this.#made = new Map(listed.filter(isEnabled).map(entryOf));
    this.#broken = new Map(ended.map(entryOf));
    // Reports what ended while nobody listened.
    for (const { channelId, status, ...topic } of ended) {
      const key = keyOf(channelId, topic);
      const isKnown = this.#made.has(key) || this.#refusals.stateOf(key) !== null;
      if (!isKnown && revocations[status]) this.#refusals.add(key, revocations[status]);
    }
  }

  /** Subscribes to some missing topics, streams first, and unsubscribes from some that are no longer wanted. */
  async sync(wanted: WantedSubscription, chats: WantedSubscription | null, conduitId: string): Promise<void> {
    if (this.areSettled(wanted, chats)) return;
    const all = allOf(wanted, chats);
    const ending = this.#endingOf(all, chats);
    this.#settled = ending.length === 0 && this.#missingOf(all).length === 0 ? { wanted, chats } : null;
    await inBatches(ending.slice(0, MAX_PER_ROUND), ([key, id]) => this.#unsubscribe(key, id));
    const missing = this.#missingOf(all)
      .filter((each) => this.#refusals.retryInMs(keyIn(each)) === 0)
      .map((each) => ({ each, rank: rankOf(each, this.#refusals.stateOf(keyIn(each)) !== null) }))
      .sort((one, other) => one.rank - other.rank);
    const faults: TwitchFault[] = [];
    await inBatches(missing.slice(0, MAX_PER_ROUND), async ({ each }) => {
      const fault = await this.#subscribe(each, conduitId);
      if (fault) faults.push(fault);
    });
    const [err] = faults;
    const failed = faults.length;
    if (err) this.#deps.log.warn({ failed, code: err.code, err }, 'some subscriptions failed');
  }

  /**
   * Picks the subscriptions to end: broken ones, and those that nobody wants; no chats while the wanted ones
   * are unknown.
   */
  #endingOf(all: readonly ChannelTopic[], chats: WantedSubscription | null) {
    return [
      ...this.#broken,
      ...unwantedOf(this.#made, all).filter(([key]) => chats !== null || !isChat(key)),
    ];
  }

  #missingOf(all: readonly ChannelTopic[]): ChannelTopic[] {
    return all.filter((each) => !this.#made.has(keyIn(each)) && !this.#broken.has(keyIn(each)));
  }

  /** Returns the reason for a failure, or null. */
  async #subscribe({ channelId, topic }: ChannelTopic, conduitId: string): Promise<TwitchFault | null> {
    const { api, events, log } = this.#deps;
    const key = keyOf(channelId, topic);
    events.mayMiss(channelId, topic);
    try {
      this.#made.set(key, await api.subscribeConduit(channelId, topic, conduitId));
      this.#refusals.clear(key);
      events.subscribed(channelId, topic);
      return null;
    } catch (error) {
      const fault = twitchFaultOf(error);
      if (fault.code === 'leaseEnded') this.#refusals.wait(key);
      else this.#refusals.add(key, refusalOf(fault));
      log.debug({ channelId, topic: topic.type, code: fault.code, err: fault }, 'subscribing failed');
      if (fault.retry === 'afterHuman' && !isChatType(topic.type)) events.permissionRefused(channelId);
      return fault;
    }
  }

  async #unsubscribe(key: string, id: string): Promise<void> {
    if (this.#made.get(key) === id) this.#made.delete(key);
    if (this.#broken.get(key) === id) this.#broken.delete(key);
    await endSubscription(this.#deps, key, id);
  }

  /** Milliseconds until the next missing subscription may be made or another one ended, at most the usual pause. */
  nextRetryInMs(wanted: WantedSubscription, chats: WantedSubscription | null): number {
    if (this.areSettled(wanted, chats)) return this.#deps.retryMs;
    const all = allOf(wanted, chats);
    if (this.#endingOf(all, chats).length > 0) return 0;
    const waits = this.#missingOf(all).map((each) => this.#refusals.retryInMs(keyIn(each)));
    return waits.reduce((soonestMs, ms) => Math.min(soonestMs, ms), this.#deps.retryMs);
  }

  /** Reports that recent events may be lost. */
  mayMissAll(wanted: WantedSubscription): void {
    for (const { channelId, topic } of channelTopicsOf(wanted)) this.#deps.events.mayMiss(channelId, topic);
  }

  /** Reports all existing subscriptions as receiving again. */
  catchUpAll(wanted: WantedSubscription): void {
    const known = channelTopicsOf(wanted).filter((each) => this.#made.has(keyIn(each)));
    for (const { channelId, topic } of known) this.#deps.events.subscribed(channelId, topic);
  }

  revoked({ subscriptionId, type, channelId, readerId, status }: Revocation): void {
    const { events, log } = this.#deps;
    this.#settled = null;
    const key = keyOf(channelId, isChatType(type) ? { type, readerId } : { type });
    if (this.#made.get(key) === subscriptionId) this.#made.delete(key);
    this.#refusals.add(key, revocations[status] ?? null);
    log.warn({ channelId, topic: type, status }, 'Twitch revoked a subscription');
    if (!isPersonal(status)) return;
    if (isChatType(type)) events.chatRevoked();
    else events.permissionRefused(channelId);
  }

  clear(): void {
    this.#settled = null;
    this.#made.clear();
    this.#broken.clear();
  }
}

const entryOf = ({ id, channelId, type, readerId }: ListedSubscription): [key: string, id: string] => [
  keyOf(channelId, { type, readerId }),
  id,
];

function unwantedOf(made: ReadonlyMap<string, string>, wanted: readonly ChannelTopic[]) {
  const keys = new Set(wanted.map(({ channelId, topic }) => keyOf(channelId, topic)));
  return [...made].filter(([key]) => !keys.has(key));
}

/** A subscription that Twitch does not know any more needs no ending. */
async function endSubscription(
  { api, log }: Pick<Deps, 'api' | 'log'>,
  key: string,
  id: string,
): Promise<void> {
  await api.unsubscribeConduit(id).catch((error) => {
    log.debug({ key, code: twitchFaultOf(error).code }, 'unsubscribing failed');
  });
}

type Refusal = 'refused' | 'banned' | 'failed' | null;

/**
 * Returns the meaning of a failed call; null if it may succeed the next time. The reference has 403 for a
 * missing permission.
 */
function refusalOf({ code, cause }: TwitchFault): Refusal {
  const { statusCode } = (cause ?? {}) as { statusCode?: number };
  if (code === 'accessRefused' && statusCode === 403) return 'refused';
  return code === 'unavailable' || code === 'rateLimited' ? null : 'failed';
}

/**
 * The meanings of Twitch's reasons for a revocation; after any other, Twitch is asked again and its answer
 * decides.
 */
const revocations: Readonly<Record<string, Refusal>> = {
  chat_user_banned: 'banned',
  moderator_removed: 'refused',
};

/** Tracks failed subscriptions until they may be retried, and those for which somebody has to act. */
function trackRefusals(retryMs: number) {
  const refused = new Map<string, { atMs: number; is: Refusal; times: number }>();
  return {
    /** A ban is followed by refusals that do not mention it. */
    add(key: string, is: Refusal): void {
      const before = refused.get(key);
      const isBanned = before?.is === 'banned' && (is === 'refused' || is === null);
      refused.set(key, {
        atMs: steadyMs(),
        is: isBanned ? 'banned' : is,
        times: (before?.times ?? 0) + 1,
      });
    },
    /** Waits before the next attempt, although Twitch has not answered this one: it is no refusal. */
    wait(key: string): void {
      const { is, times } = refused.get(key) ?? { is: null, times: 0 };
      refused.set(key, { atMs: steadyMs(), is, times });
    },
    clear: (key: string): void => void refused.delete(key),
    retryInMs: (key: string): number =>
      Math.max(0, (refused.get(key)?.atMs ?? Number.NEGATIVE_INFINITY) + retryMs - steadyMs()),
    stateOf(key: string): SubscriptionState | null {
      const { is = null, ...rest } = refused.get(key) ?? { atMs: 0, times: 0 };
      return is && { is, ...rest };
    },
  };
}

async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += BATCH_SIZE)
    await Promise.all(all.slice(from, from + BATCH_SIZE).map(work));
}
