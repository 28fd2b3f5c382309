import type Stripe from 'stripe';
import type { BillingSettings } from '#platform/shared-variables.ts';

type PaymentType = Stripe.Checkout.SessionCreateParams.AllowedPaymentMethodType;

/**
 * The debit from a bank account in each currency that has one, https://docs.stripe.com/payments/bank-debits.
 */
const debitTypes = {
  usd: 'us_bank_account',
  eur: 'sepa_debit',
  gbp: 'bacs_debit',
  cad: 'acss_debit',
  aud: 'au_becs_debit',
  chf: null,
  brl: null,
  pln: null,
} as const satisfies Record<BillingSettings['currency'], PaymentType | null>;

type Settings = Pick<BillingSettings, 'currency' | 'debits'>;

/** The kind of direct debit that buyers may choose; null for none. */
export const debitTypeOf = ({ currency, debits }: Settings) => (debits ? debitTypes[currency] : null);

/**
 * The means of payment that buyers may use: cards, including wallets, and those that the operator allowed.
 */
export function paymentTypesOf(settings: Settings): PaymentType[] {
  const debit = debitTypeOf(settings);
  return debit === null ? ['card'] : ['card', debit];
}

/** Means of payment that answer at once; Stripe accepts a pending update for nothing else that we offer. */
const promptTypes: readonly string[] = ['card', 'link'];

/**
 * Returns whether a subscription is paid by a means whose bank answers after days. The payment methods must
 * be expanded.
 */
export function isPaidSlowly({
  default_payment_method: own,
  customer,
}: Pick<Stripe.Subscription, 'default_payment_method' | 'customer'>): boolean {
  const owner = typeof customer === 'string' || customer.deleted ? null : customer;
  const method = own ?? owner?.invoice_settings.default_payment_method ?? null;
  return method !== null && typeof method !== 'string' && !promptTypes.includes(method.type);
}
