import { randomBytes } from 'node:crypto';
import type { Kind, Objects } from './stored.ts';

/** The version this sandbox speaks: the one that the SDK pins. */
export const apiVersion = '2026-10-28.endive';

const prefixes: Record<Kind, { prefix: string; length: number }> = {
  customer: { prefix: 'cus_', length: 14 },
  product: { prefix: 'prod_', length: 14 },
  price: { prefix: 'price_', length: 24 },
  'checkout.session': { prefix: 'cs_test_', length: 58 },
  subscription: { prefix: 'sub_', length: 24 },
  invoice: { prefix: 'in_', length: 24 },
  invoice_payment: { prefix: 'inpay_', length: 24 },
  invoiceitem: { prefix: 'ii_', length: 24 },
  coupon: { prefix: '', length: 8 },
  discount: { prefix: 'di_', length: 24 },
  payment_method: { prefix: 'pm_', length: 24 },
  payment_intent: { prefix: 'pi_', length: 24 },
  charge: { prefix: 'ch_', length: 24 },
  refund: { prefix: 're_', length: 24 },
  dispute: { prefix: 'du_', length: 24 },
  subscription_schedule: { prefix: 'sub_sched_', length: 24 },
  'billing_portal.configuration': { prefix: 'bpc_', length: 24 },
  'billing_portal.session': { prefix: 'bps_', length: 24 },
  webhook_endpoint: { prefix: 'we_', length: 24 },
  event: { prefix: 'evt_', length: 24 },
};

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random letters and digits, as in Stripe's ids. */
export function randomLetters(length: number): string {
  return Array.from(randomBytes(length), (byte) => letters[byte % letters.length]).join('');
}

export function newId(kind: Kind): string {
  const { prefix, length } = prefixes[kind];
  return `${prefix}${randomLetters(length)}`;
}

/** The kind of object that an id names, by its prefix. */
export function kindOfId(id: string): Kind | null {
  // A schedule's id also begins like a subscription's.
  if (id.startsWith(prefixes.subscription_schedule.prefix)) return 'subscription_schedule';
  const kinds = Object.keys(prefixes) as Kind[];
  // A coupon's id is any text.
  return kinds.find((kind) => prefixes[kind].prefix && id.startsWith(prefixes[kind].prefix)) ?? null;
}

/** Stripe's knowledge about a checkout beside the session's own fields. */
export interface CheckoutPlan {
  items: { price: string; quantity: number }[];
  /** Counted from the moment of payment. */
  trialDays: number | null;
  trialEnd: number | null;
  metadata: Record<string, string>;
  description: string | null;
  missingPaymentMethod: 'cancel' | 'create_invoice' | 'pause';
  /** The card whose 3-D Secure challenge is being answered. */
  challengedCard: string | null;
}

/** The behaviour of a card; https://docs.stripe.com/testing names the numbers. */
export interface CardBehaviour {
  attach: CardOutcome;
  onSession: CardOutcome;
  offSession: CardOutcome;
  /** The reason why it is declined, such as `insufficient_funds`. */
  declineCode: string | null;
  /** Each payment is disputed at once. */
  isDisputed: boolean;
}

export type CardOutcome = 'succeeds' | 'declined' | 'authenticate' | 'processes';

/** A bank's answer about a debit, and its time. */
export interface Settlement {
  at: number;
  ends: 'succeeds' | 'fails';
}

/** The end of a customer's next payments, whatever the card. */
export interface PaymentTrouble {
  outcome: 'declined' | 'authenticate';
  times: number;
}

/** A webhook on its way, with the object as it was when the event happened. */
export interface Delivery {
  eventId: string;
  endpointId: string;
  attempts: number;
  dueMs: number;
}

/** An answer that is repeated for the same idempotency key. */
export interface SavedAnswer {
  request: string;
  requestId: string;
  status: number;
  body: string;
  savedMs: number;
}

/** A prorated amount that waits for the next invoice. */
export interface PendingLine {
  amount: number;
  price: string;
  quantity: number;
  description: string;
  period: { start: number; end: number };
  subscriptionItem: string;
}

/** Choices of the account, which its owner makes in Stripe's dashboard. */
export interface AccountSettings {
  /** The state of a subscription after the last attempt to charge it failed. */
  afterRetries: 'cancel' | 'unpaid' | 'past_due';
  /**
   * The field that the portal sets: `cancel_at` in flexible billing mode, `cancel_at_period_end` before it.
   */
  portalCancels: 'cancel_at' | 'cancel_at_period_end';
  /** True if direct debits are switched on; Checkout then offers them unless its call names the methods. */
  debits: boolean;
}

export interface StripeState {
  version: 1;
  accountId: string;
  secretKey: string;
  objects: { [K in Kind]: Record<string, Objects[K]> };
  deletedIds: string[];
  checkouts: Record<string, CheckoutPlan>;
  cards: Record<string, CardBehaviour>;
  paymentTrouble: Record<string, PaymentTrouble>;
  /** Payments that a bank has not answered yet, by their intents. */
  settlements: Record<string, Settlement>;
  pendingLines: Record<string, PendingLine[]>;
  /** Subscriptions whose `trial_will_end` has been sent. */
  trialsNotified: string[];
  settings: AccountSettings;
  /** The signing secret of each webhook endpoint. */
  secrets: Record<string, string>;
  answers: Record<string, SavedAnswer>;
  deliveries: Delivery[];
}

export function emptyState(): StripeState {
  const kinds = Object.keys(prefixes) as Kind[];
  return {
    version: 1,
    accountId: `acct_${randomLetters(16)}`,
    secretKey: `sk_test_${randomLetters(40)}`,
    objects: Object.fromEntries(kinds.map((kind) => [kind, {}])) as StripeState['objects'],
    deletedIds: [],
    checkouts: {},
    cards: {},
    paymentTrouble: {},
    settlements: {},
    pendingLines: {},
    trialsNotified: [],
    settings: { afterRetries: 'cancel', portalCancels: 'cancel_at', debits: false },
    secrets: {},
    answers: {},
    deliveries: [],
  };
}
