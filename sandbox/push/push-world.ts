import { createECDH, randomBytes } from 'node:crypto';
import type { BrowserKeys } from './decrypt-push.ts';

/** A message that a browser would have got. */
export interface PushMessage {
  id: string;
  text: string;
  ttlS: number;
  urgency: string;
  topic: string | null;
}

/** An answer that the service gives to the next message instead of taking it. */
export interface PushFault {
  status: number;
  retryAfter?: string;
  /** Milliseconds before it answers; `null` for never. */
  afterMs?: number | null;
}

export interface Subscription {
  id: string;
  /** The application server's public key, which alone may send here; null takes any (RFC 8292, section 4). */
  serverKey: string | null;
  keys: BrowserKeys & { p256dh: string };
  messages: PushMessage[];
  /** Messages that were taken, also those that a later one replaced. */
  taken: number;
  faults: PushFault[];
  isUnsubscribed: boolean;
}

const MAX_SUBSCRIPTIONS = 20_000;
const MAX_MESSAGES = 100;

/** The subscriptions of a push service, which live as long as its process. */
export class PushWorld {
  readonly #subscriptions = new Map<string, Subscription>();
  #nextMessage = 1;

  /** Makes a subscription with a browser's keys. */
  subscribe(serverKey: string | null = null): Subscription {
    const own = createECDH('prime256v1');
    const p256dh = own.generateKeys().toString('base64url');
    const privateKey = own.getPrivateKey().toString('base64url');
    const subscription: Subscription = {
      id: randomBytes(16).toString('base64url'),
      serverKey,
      keys: { p256dh, privateKey, auth: randomBytes(16).toString('base64url') },
      messages: [],
      taken: 0,
      faults: [],
      isUnsubscribed: false,
    };
    this.#subscriptions.set(subscription.id, subscription);
    const [oldest] = this.#subscriptions.keys();
    if (this.#subscriptions.size > MAX_SUBSCRIPTIONS && oldest) this.#subscriptions.delete(oldest);
    return subscription;
  }

  find = (id: string): Subscription | undefined => this.#subscriptions.get(id);

  /** Takes a message; one with a topic replaces what waits with the same (RFC 8030, section 5.4). */
  take(subscription: Subscription, message: Omit<PushMessage, 'id'>): PushMessage {
    const taken = { ...message, id: String(this.#nextMessage++) };
    const isReplaced = ({ topic }: PushMessage) => topic !== null && topic === taken.topic;
    subscription.messages = [...subscription.messages.filter((each) => !isReplaced(each)), taken].slice(
      -MAX_MESSAGES,
    );
    subscription.taken += 1;
    return taken;
  }
}
