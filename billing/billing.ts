import type Stripe from 'stripe';
import type { Database } from '#db/database.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { alarmOperator } from '#domain/outbox/alarm-operator.ts';
import type { BillingSettings } from '#platform/shared-variables.ts';
import { SetUpMissing } from './set-up-missing.ts';
import { openStripe } from './stripe-client.ts';

interface Log {
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}

/** The dependencies of every verb about money. */
export interface Billing {
  stripe: Stripe;
  db: Database;
  settings: BillingSettings;
  /** The site's address, to which Stripe sends people back. */
  publicUrl: URL;
  operatorEmail: string | null;
  /** Domain time; deadlines and signatures use the system's own. */
  now: () => number;
  log: Log;
  /** Returns false while another process may do this work. Web, which serves people, may always ask. */
  mayAsk?(): boolean;
}

/** Opens Stripe for a process. */
export const openBilling = (deps: Omit<Billing, 'stripe'>): Billing => ({
  ...deps,
  stripe: openStripe(deps.settings),
});

/**
 * The reasons why Stripe did not do something. `unavailable`: it did not answer, so a request that changes
 * something may have been carried out; repeating the same key finds out. `declined`: the card was declined.
 * `refused`: it will not, however often it is asked.
 */
export type StripeCode = 'unavailable' | 'declined' | 'refused';

const unavailableTypes = new Set(['StripeConnectionError', 'StripeAPIError', 'StripeRateLimitError']);
/** Another request under the same key is still running, or an object is locked by one. */
const busyCodes = new Set(['idempotency_key_in_use', 'lock_timeout']);

/** Folds an error of the package; a bug of ours is thrown on. */
export function stripeCodeOf(error: unknown): StripeCode {
  if (error instanceof SetUpMissing) return 'refused';
  const { type, code } = error as { type?: unknown; code?: unknown };
  if (typeof type !== 'string' || !type.startsWith('Stripe')) throw error;
  if (unavailableTypes.has(type) || (typeof code === 'string' && busyCodes.has(code))) return 'unavailable';
  return type === 'StripeCardError' ? 'declined' : 'refused';
}

/**
 * Returns whether it is a live key. A key of test mode may have been set by mistake, so nothing is ended
 * because such a key does not find it.
 */
export const isLiveKey = ({ settings }: Pick<Billing, 'settings'>): boolean =>
  /^[rs]k_live_/.test(settings.secretKey);

/** Returns whether Stripe has no such object: it was deleted, or belongs to another account. */
export const isMissing = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'resource_missing';

/**
 * Asks Stripe for something, and logs why it was not done. What Stripe refuses is a fault of ours or of the account's
 * setup: the operator gets a mail about it, once a day for each `what`.
 */
export async function ask<T>(
  billing: Pick<Billing, 'log' | 'db' | 'operatorEmail' | 'now' | 'mayAsk'>,
  what: string,
  request: () => Promise<T>,
): Promise<Outcome<{ value: T }, StripeCode>> {
  if (billing.mayAsk?.() === false) return refuse('unavailable');
  try {
    return done({ value: await request() });
  } catch (error) {
    const code = stripeCodeOf(error);
    const text = 'Stripe did not do what was asked';
    if (code !== 'refused') billing.log.warn({ err: error, what }, text);
    else {
      billing.log.error({ err: error, what }, text);
      await reportRefusal(billing, what, error as Error);
    }
    return refuse(code);
  }
}

async function reportRefusal(
  { db, operatorEmail, now }: Pick<Billing, 'db' | 'operatorEmail' | 'now'>,
  what: string,
  { message: why }: Error,
): Promise<void> {
  if (operatorEmail === null) return;
  const values = { what, why: why.slice(0, 500) };
  const mail = { recipient: operatorEmail, locale: 'en', template: 'stripeRefused', values } as const;
  await alarmOperator(db, { key: `stripe: ${what}`, mail }, now());
}
