import type { Condition, Topic } from './event-sub-topics.ts';

export interface EventSubscription {
  id: string;
  /** `enabled`, or with which status Twitch ended it. */
  status: string;
  type: string;
  topic: Topic;
  condition: Condition;
  /** Null: an application's subscription, over a conduit. */
  userId: string | null;
  transport: Transport;
  createdAtMs: number;
  cost: number;
}

export type Transport =
  | { method: 'websocket'; sessionId: string; connectedAtMs: number }
  | { method: 'conduit'; conduitId: string };

/** All subscriptions, found by id, by owner and by channel: ten thousand channels have as many as thirty thousand. */
export class EventSubRegistry {
  readonly #all = new Map<string, EventSubscription>();
  /**
   * Subscriptions that Twitch ended: they stay on the list with their status until their owner deletes them.
   */
  readonly #ended = new Map<string, EventSubscription>();
  readonly #byChannel = new Map<string, Set<EventSubscription>>();
  readonly #byOwner = new Map<string | null, { subscriptions: Set<EventSubscription>; cost: number }>();

  add(one: EventSubscription): void {
    this.#all.set(one.id, one);
    const onChannel = this.onChannel(one.condition.broadcaster_user_id);
    this.#byChannel.set(one.condition.broadcaster_user_id ?? '', onChannel.add(one));
    const owned = this.#ownedBy(one.userId);
    owned.subscriptions.add(one);
    owned.cost += one.cost;
    this.#byOwner.set(one.userId, owned);
  }

  /** Ends one with the status that it now has. */
  end(one: EventSubscription): void {
    this.delete(one.id);
    // A socket's subscriptions end with it.
    if (one.transport.method === 'conduit') this.#ended.set(one.id, one);
  }

  delete(id: string): void {
    this.#ended.delete(id);
    const one = this.#all.get(id);
    if (!one) return;
    this.#all.delete(id);
    this.onChannel(one.condition.broadcaster_user_id).delete(one);
    const owned = this.#ownedBy(one.userId);
    owned.subscriptions.delete(one);
    owned.cost -= one.cost;
  }

  get(id: string): EventSubscription | undefined {
    return this.#all.get(id) ?? this.#ended.get(id);
  }

  all(): EventSubscription[] {
    return [...this.#all.values()];
  }

  onChannel(broadcasterId: string | undefined): Set<EventSubscription> {
    return this.#byChannel.get(broadcasterId ?? '') ?? new Set();
  }

  /** In the order in which they were made. */
  of(userId: string | null): EventSubscription[] {
    return [...this.#ownedBy(userId).subscriptions];
  }

  endedOf(userId: string | null): EventSubscription[] {
    return [...this.#ended.values()].filter((one) => one.userId === userId);
  }

  countOf(userId: string | null): { total: number; cost: number } {
    const { subscriptions, cost } = this.#ownedBy(userId);
    return { total: subscriptions.size, cost };
  }

  /**
   * Returns whether the owner has the same subscription already, over the same socket or conduit; over any
   * socket if `isStrict`.
   */
  hasSame(
    given: Pick<EventSubscription, 'userId' | 'type' | 'condition' | 'transport'>,
    isStrict: boolean,
  ): boolean {
    return [...this.onChannel(given.condition.broadcaster_user_id)].some(
      (one) =>
        one.userId === given.userId &&
        one.type === given.type &&
        (isStrict || leadsTo(one.transport, given.transport)) &&
        sameCondition(one.condition, given.condition),
    );
  }

  #ownedBy(userId: string | null) {
    return this.#byOwner.get(userId) ?? { subscriptions: new Set<EventSubscription>(), cost: 0 };
  }
}

function leadsTo(one: Transport, other: Transport): boolean {
  if (one.method === 'conduit') return other.method === 'conduit' && one.conduitId === other.conduitId;
  return other.method === 'websocket' && one.sessionId === other.sessionId;
}

function sameCondition(one: Condition, other: Condition): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}
