import { createCharge } from './charges.ts';
import { daySeconds } from './periods.ts';
import { type CardBehaviour, newId, randomLetters, type Settlement } from './state.ts';
import type { PaymentIntent, PaymentMethod } from './stored.ts';
import type { StripeWorld } from './world.ts';

export type DebitType = 'sepa_debit' | 'us_bank_account';

export interface DemoDebit extends CardBehaviour {
  /** An IBAN, or an account number in the United States. */
  number: string;
  type: DebitType;
  does: string;
  ends: Settlement['ends'];
}

const processes = {
  attach: 'succeeds',
  onSession: 'processes',
  offSession: 'processes',
  isDisputed: false,
} as const;

/**
 * Test accounts of https://docs.stripe.com/payments/sepa-debit/accept-a-payment#test-integration and
 * https://docs.stripe.com/payments/ach-direct-debit/accept-a-payment#test-account-numbers, with Stripe's own numbers.
 * Stripe's test mode ends most of them within minutes; here they take as long as live ones.
 */
export const demoDebits: readonly DemoDebit[] = [
  {
    ...processes,
    number: 'AT611904300234573201',
    type: 'sepa_debit',
    does: 'pays by direct debit, days later',
    ends: 'succeeds',
    declineCode: null,
  },
  {
    ...processes,
    number: 'AT861904300235473202',
    type: 'sepa_debit',
    does: 'is debited, and the bank refuses days later',
    ends: 'fails',
    declineCode: 'insufficient_funds',
  },
  {
    ...processes,
    number: '000123456789',
    type: 'us_bank_account',
    does: 'pays by direct debit, days later',
    ends: 'succeeds',
    declineCode: null,
  },
  {
    ...processes,
    number: '000222222227',
    type: 'us_bank_account',
    does: 'is debited, and the bank refuses days later',
    ends: 'fails',
    declineCode: 'insufficient_funds',
  },
];

/** Days until the bank has answered: https://docs.stripe.com/payments/sepa-debit and .../payments/ach-direct-debit name the usual ones. */
const answerDays: Record<DebitType, number> = { sepa_debit: 7, us_bank_account: 4 };
/** The one currency of each, by the same pages. */
export const debitCurrency: Record<DebitType, string> = { sepa_debit: 'eur', us_bank_account: 'usd' };

export const debitTypes = Object.keys(debitCurrency) as DebitType[];

export const findDebit = (number: string): DemoDebit | null =>
  demoDebits.find((debit) => debit.number === number.replaceAll(' ', '')) ?? null;

export const isDebit = (world: StripeWorld, paymentMethod: string): boolean =>
  world.require('payment_method', paymentMethod).type !== 'card';

function accountOf({ number, type }: DemoDebit): Pick<PaymentMethod, DebitType> {
  const [fingerprint, last4] = [randomLetters(16), number.slice(-4)];
  if (type === 'sepa_debit') {
    const country = number.slice(0, 2);
    return {
      sepa_debit: { bank_code: '19043', branch_code: '', country, fingerprint, generated_from: null, last4 },
    };
  }
  return {
    us_bank_account: {
      account_holder_type: 'individual',
      account_type: 'checking',
      bank_name: 'STRIPE TEST BANK',
      financial_connections_account: null,
      fingerprint,
      last4,
      networks: null,
      routing_number: '110000000',
      status_details: null,
    },
  };
}

/** Saves a bank account for a customer, as the hosted pages do. */
export function attachDebit(world: StripeWorld, debit: DemoDebit, customer: string): PaymentMethod {
  const { name = null, email } = world.require('customer', customer);
  const id = newId('payment_method');
  world.setCard(id, debit);
  return world.create(
    'payment_method',
    {
      id,
      object: 'payment_method',
      allow_redisplay: 'limited',
      billing_details: { address: null, email, name, phone: null, tax_id: null },
      ...accountOf(debit),
      created: world.seconds(),
      customer,
      customer_account: null,
      livemode: false,
      metadata: {},
      type: debit.type,
    },
    'payment_method.attached',
  );
}

/** The bank is asked, and answers after days, https://docs.stripe.com/payments/paymentintents/lifecycle. */
export function processDebit(
  world: StripeWorld,
  intent: PaymentIntent,
  paymentMethod: string,
): PaymentIntent {
  const { type } = world.require('payment_method', paymentMethod);
  const known = world.state.cards[paymentMethod];
  const ordered = world.takePaymentTrouble(intent.customer ?? '');
  const ends = ordered === 'declined' || known?.declineCode ? 'fails' : 'succeeds';
  const days = answerDays[type as DebitType];
  world.setSettlement(intent.id, { at: world.seconds() + days * daySeconds, ends });
  const charge = createCharge(world, intent, paymentMethod, { status: 'pending' });
  return world.update(
    'payment_intent',
    intent.id,
    {
      status: 'processing',
      latest_charge: charge.id,
      payment_method: paymentMethod,
      payment_method_types: [type],
      last_payment_error: null,
      next_action: null,
    },
    'payment_intent.processing',
  );
}
