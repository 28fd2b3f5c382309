import type Stripe from 'stripe';
import type { BillingSettings } from '#platform/shared-variables.ts';

type PaymentType = Stripe.Checkout.SessionCreateParams.AllowedPaymentMethodType;

/** How a bank account is debited in each currency, https://docs.stripe.com/payments/bank-debits; in the others it is not. */
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

/** The kind of direct debit that buyers may choose; null: none. */
export const debitTypeOf = ({ currency, debits }: Settings) => (debits ? debitTypes[currency] : null);

/** The means of payment that buyers may use: cards, with the wallets that come with them, and what the operator allowed besides. */
export function paymentTypesOf(settings: Settings): PaymentType[] {
  const debit = debitTypeOf(settings);
  return debit === null ? ['card'] : ['card', debit];
}

/** Means of payment that answer at once; Stripe accepts a pending update for nothing else that we offer. */
const promptTypes: readonly string[] = ['card', 'link'];

/** Whether a subscription is paid by something whose bank answers after days. The payment methods must be expanded. */
export function isPaidSlowly({
  default_payment_method: own,
  customer,
}: Pick<Stripe.Subscription, 'default_payment_method' | 'customer'>): boolean {
  const owner = typeof customer === 'string' || customer.deleted ? null : customer;
  const method = own ?? owner?.invoice_settings.default_payment_method ?? null;
  return method !== null && typeof method !== 'string' && !promptTypes.includes(method.type);
}
