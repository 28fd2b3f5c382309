import { previousAttributes } from './changes.ts';
import { StripeFaults } from './faults.ts';
import { noSuch } from './refusals.ts';
import {
  type AccountSettings,
  apiVersion,
  type CardBehaviour,
  type CheckoutPlan,
  type Delivery,
  emptyState,
  newId,
  type PaymentTrouble,
  type PendingLine,
  type Settlement,
  type StripeState,
} from './state.ts';
import type { Kind, Objects, StripeEvent } from './stored.ts';

export interface StripeWorldOptions {
  /** World time in milliseconds; the signatures of webhooks and idempotency use it too unless said otherwise. */
  now: () => number;
  /** Called after every change, to save the state and to deliver webhooks. */
  onChange?: (() => void) | undefined;
}

const nouns: Partial<Record<Kind, string>> = {
  'checkout.session': 'checkout.session',
  webhook_endpoint: 'webhook endpoint',
  payment_intent: 'payment_intent',
  payment_method: 'PaymentMethod',
};

/** The origin of a change; null if Stripe itself made it. */
interface Asking {
  id: string | null;
  idempotencyKey: string | null;
}

const nobody: Asking = { id: null, idempotencyKey: null };

/**
 * The sandbox's Stripe: one account in test mode. Stored objects are never edited but replaced, so an event's
 * snapshot stays as it was, and a refused request can be undone.
 */
export class StripeWorld {
  readonly #state: StripeState;
  readonly #options: StripeWorldOptions;
  #undo: (() => void)[] | null = null;
  #asking: Asking = nobody;
  #moment: number | null = null;
  #site = '';
  readonly #listeners = new Set<() => void>();
  readonly faults = new StripeFaults(() => this.changed());

  constructor(options: StripeWorldOptions, state: StripeState = emptyState()) {
    this.#options = options;
    this.#state = state;
  }

  static fromJSON(json: unknown, options: StripeWorldOptions): StripeWorld {
    const state = json as StripeState;
    if (state?.version !== 1)
      throw new Error("The saved state of the sandbox's Stripe has an unknown version.");
    const [saved, fresh] = [structuredClone(state), emptyState()];
    return new StripeWorld(options, {
      ...fresh,
      ...saved,
      objects: { ...fresh.objects, ...saved.objects },
      settings: { ...fresh.settings, ...saved.settings },
    });
  }

  toJSON(): StripeState {
    return structuredClone(this.#state);
  }

  /** The live state; callers outside this folder only read it. */
  get state(): StripeState {
    return this.#state;
  }

  now(): number {
    return this.#options.now();
  }

  /** World time in Unix seconds, as Stripe uses them. */
  seconds(): number {
    return this.#moment ?? Math.floor(this.#options.now() / 1000);
  }

  /** An address of the pages that Stripe shows to customers. */
  pageUrl(path: string): string {
    return `${this.#site}${path}`;
  }

  /** Sets the server's own address, for links to its pages. */
  setSite(url: string): void {
    this.#site = url;
  }

  changed(): void {
    this.#options.onChange?.();
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Does all of it or nothing: an error undoes every change and event. */
  transaction<Result>(work: () => Result, asking: Asking = nobody): Result {
    const outer = this.#undo;
    this.#undo = [];
    if (!outer) this.#asking = asking;
    try {
      const result = work();
      outer?.push(...this.#undo);
      return result;
    } catch (error) {
      for (const step of this.#undo.reverse()) step();
      throw error;
    } finally {
      this.#undo = outer;
      if (!outer) {
        this.#asking = nobody;
        this.changed();
      }
    }
  }

  /** Does the work at an earlier moment: something that was due while the clock leapt. */
  at<Result>(seconds: number, work: () => Result): Result {
    const before = this.#moment;
    this.#moment = seconds;
    try {
      return this.transaction(work);
    } finally {
      this.#moment = before;
    }
  }

  /** Does the work, and undoes it, to find the result of a change. */
  rehearse<Result>(work: () => Result): Result {
    const signal = new Error('rehearsal');
    let result: Result | undefined;
    try {
      this.transaction(() => {
        result = work();
        throw signal;
      });
    } catch (error) {
      if (error !== signal) throw error;
    }
    return result as Result;
  }

  find<K extends Kind>(kind: K, id: string): Objects[K] | null {
    return this.#state.objects[kind][id] ?? null;
  }

  /** Finds an object or refuses as Stripe does; `param` names the parameter that carried the id. */
  require<K extends Kind>(kind: K, id: string, param = 'id'): Objects[K] {
    const found = this.find(kind, id);
    if (!found) throw noSuch(nouns[kind] ?? kind, id, param);
    return found;
  }

  /** All objects of a kind, the newest first, as Stripe's lists are ordered. */
  all<K extends Kind>(kind: K): Objects[K][] {
    return (Object.values(this.#state.objects[kind]) as Objects[K][]).reverse();
  }

  create<K extends Kind>(kind: K, object: Objects[K], event?: string): Objects[K] {
    this.#put(kind, object);
    if (event) this.emit(event, object);
    return object;
  }

  /** Replaces some fields. The event names the changed ones, and none is sent if nothing changed. */
  update<K extends Kind>(kind: K, id: string, fields: Partial<Objects[K]>, event?: string): Objects[K] {
    const before = this.require(kind, id);
    const after = { ...before, ...fields } as Objects[K];
    const previous = previousAttributes(before, after);
    if (Object.keys(previous).length === 0) return before;
    this.#put(kind, after);
    if (event) this.emit(event, after, event.endsWith('.updated') ? previous : undefined);
    return after;
  }

  /** Sends the event of several changes at once. */
  emitUpdated<K extends Kind>(kind: K, before: Objects[K], event: string): Objects[K] {
    const after = this.require(kind, before.id);
    const previous = previousAttributes(before, after);
    if (Object.keys(previous).length > 0) this.emit(event, after, previous);
    return after;
  }

  remove<K extends Kind>(kind: K, id: string, event?: string): void {
    const object = this.require(kind, id);
    const { objects, deletedIds } = this.#state;
    delete objects[kind][id];
    deletedIds.push(id);
    this.#undo?.push(() => {
      (objects[kind] as Record<string, Objects[K]>)[id] = object;
      deletedIds.pop();
    });
    if (event) this.emit(event, object);
  }

  isDeleted(id: string): boolean {
    return this.#state.deletedIds.includes(id);
  }

  setCheckout(sessionId: string, plan: CheckoutPlan): void {
    const { checkouts } = this.#state;
    const before = checkouts[sessionId];
    checkouts[sessionId] = plan;
    this.#undo?.push(() => {
      if (before) checkouts[sessionId] = before;
      else delete checkouts[sessionId];
    });
  }

  setCard(paymentMethodId: string, behaviour: CardBehaviour): void {
    const { cards } = this.#state;
    const before = cards[paymentMethodId];
    cards[paymentMethodId] = behaviour;
    this.#undo?.push(() => {
      if (before) cards[paymentMethodId] = before;
      else delete cards[paymentMethodId];
    });
  }

  /** Sets when a bank will answer about a payment; null if it has answered. */
  setSettlement(intentId: string, settlement: Settlement | null): void {
    const { settlements } = this.#state;
    const before = settlements[intentId];
    if (settlement) settlements[intentId] = settlement;
    else delete settlements[intentId];
    this.#undo?.push(() => {
      if (before) settlements[intentId] = before;
      else delete settlements[intentId];
    });
  }

  setPendingLines(subscriptionId: string, lines: PendingLine[]): void {
    const { pendingLines } = this.#state;
    const before = pendingLines[subscriptionId] ?? [];
    pendingLines[subscriptionId] = lines;
    this.#undo?.push(() => {
      pendingLines[subscriptionId] = before;
    });
  }

  setSecret(endpointId: string, secret: string): void {
    const { secrets } = this.#state;
    secrets[endpointId] = secret;
    this.#undo?.push(() => delete secrets[endpointId]);
  }

  /** Orders the end of a customer's coming payments; null leaves it to the card. */
  orderPaymentTrouble(customer: string, trouble: PaymentTrouble | null): void {
    this.require('customer', customer);
    if (trouble) this.#state.paymentTrouble[customer] = trouble;
    else delete this.#state.paymentTrouble[customer];
    this.changed();
  }

  /** Changes the choices of the account's owner in the dashboard. */
  choose(settings: Partial<AccountSettings>): void {
    Object.assign(this.#state.settings, settings);
    this.changed();
  }

  /** Takes the ordered end of the customer's next payment, if there is one. */
  takePaymentTrouble(customer: string): 'declined' | 'authenticate' | null {
    const { paymentTrouble } = this.#state;
    const ordered = paymentTrouble[customer];
    if (!ordered) return null;
    if (ordered.times > 1) paymentTrouble[customer] = { ...ordered, times: ordered.times - 1 };
    else delete paymentTrouble[customer];
    this.#undo?.push(() => {
      paymentTrouble[customer] = ordered;
    });
    return ordered.outcome;
  }

  /** Records an event and queues it for every endpoint that listens to it. */
  emit(type: string, object: unknown, previous?: Record<string, unknown>): StripeEvent {
    const endpoints = this.all('webhook_endpoint').filter(
      (endpoint) =>
        endpoint.status === 'enabled' &&
        (endpoint.enabled_events.includes('*') || endpoint.enabled_events.includes(type)),
    );
    const event: StripeEvent = {
      id: newId('event'),
      object: 'event',
      api_version: apiVersion,
      created: this.seconds(),
      data: previous ? { object, previous_attributes: previous } : { object },
      livemode: false,
      pending_webhooks: endpoints.length,
      request: { id: this.#asking.id, idempotency_key: this.#asking.idempotencyKey },
      type,
    };
    this.#put('event', event);
    const { deliveries } = this.#state;
    const before = deliveries.length;
    for (const { id } of endpoints)
      deliveries.push({ eventId: event.id, endpointId: id, attempts: 0, dueMs: this.now() });
    this.#undo?.push(() => deliveries.splice(before));
    return event;
  }

  /** Takes a delivery off the list, or moves it to its next attempt. */
  settleDelivery(delivery: Delivery, nextInMinutes: number | null | undefined): void {
    const { deliveries } = this.#state;
    if (typeof nextInMinutes === 'number') {
      delivery.attempts += 1;
      delivery.dueMs = this.now() + nextInMinutes * 60_000;
    } else {
      const place = deliveries.indexOf(delivery);
      if (place >= 0) deliveries.splice(place, 1);
      const event = this.find('event', delivery.eventId);
      if (event && nextInMinutes === null)
        this.#put('event', { ...event, pending_webhooks: event.pending_webhooks - 1 });
    }
    this.#options.onChange?.();
  }

  #put<K extends Kind>(kind: K, object: Objects[K]): void {
    const byId = this.#state.objects[kind] as Record<string, Objects[K]>;
    const before = byId[object.id];
    byId[object.id] = object;
    this.#undo?.push(() => {
      if (before) byId[object.id] = before;
      else delete byId[object.id];
    });
  }
}
