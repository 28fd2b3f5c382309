import { type CardBehaviour, newId, randomLetters } from './state.ts';
import type { PaymentMethod } from './stored.ts';
import type { StripeWorld } from './world.ts';

export interface DemoCard extends CardBehaviour {
  number: string;
  brand: 'mastercard' | 'visa';
  does: string;
}

const succeeds = {
  attach: 'succeeds',
  onSession: 'succeeds',
  offSession: 'succeeds',
  declineCode: null,
  isDisputed: false,
} as const;
const declined = {
  attach: 'declined',
  onSession: 'declined',
  offSession: 'declined',
  isDisputed: false,
} as const;

/** The test cards of https://docs.stripe.com/testing that a subscription can meet, with Stripe's own numbers. */
export const demoCards: readonly DemoCard[] = [
  { ...succeeds, number: '4242424242424242', brand: 'visa', does: 'pays' },
  { ...succeeds, number: '5555555555554444', brand: 'mastercard', does: 'pays' },
  {
    ...succeeds,
    number: '4000002500003155',
    brand: 'visa',
    does: 'asks for 3-D Secure once, then pays',
    attach: 'authenticate',
  },
  {
    ...succeeds,
    number: '4000002760003184',
    brand: 'visa',
    does: 'asks for 3-D Secure at every payment',
    attach: 'authenticate',
    onSession: 'authenticate',
    offSession: 'authenticate',
  },
  {
    ...declined,
    number: '4000000000000341',
    brand: 'visa',
    does: 'can be saved, and is declined when charged',
    attach: 'succeeds',
    declineCode: 'generic_decline',
  },
  {
    ...declined,
    number: '4000000000000002',
    brand: 'visa',
    does: 'is declined',
    declineCode: 'generic_decline',
  },
  {
    ...declined,
    number: '4000000000009995',
    brand: 'visa',
    does: 'is declined: insufficient funds',
    declineCode: 'insufficient_funds',
  },
  {
    ...declined,
    number: '4000000000000069',
    brand: 'visa',
    does: 'is declined: expired',
    declineCode: 'expired_card',
  },
  {
    ...succeeds,
    number: '4000000000000259',
    brand: 'visa',
    does: 'pays, and is disputed at once',
    isDisputed: true,
  },
];

export function findCard(number: string): DemoCard | null {
  const digits = number.replaceAll(/\D/g, '');
  return demoCards.find((card) => card.number === digits) ?? null;
}

/** The message for a card's owner, https://docs.stripe.com/declines/codes. */
export function declineMessage(declineCode: string | null): string {
  if (declineCode === 'insufficient_funds') return 'Your card has insufficient funds.';
  if (declineCode === 'expired_card') return 'Your card has expired.';
  return 'Your card was declined.';
}

/** The code of an error: an expired card has one of its own, all other declines share `card_declined`. */
export function errorCodeOf(declineCode: string | null): string {
  return declineCode === 'expired_card' ? 'expired_card' : 'card_declined';
}

/** Saves a card for a customer, as the hosted pages do. */
export function attachCard(world: StripeWorld, card: DemoCard, customer: string): PaymentMethod {
  const { name = null, email } = world.require('customer', customer);
  const id = newId('payment_method');
  world.setCard(id, card);
  return world.create(
    'payment_method',
    {
      id,
      object: 'payment_method',
      allow_redisplay: 'limited',
      billing_details: { address: null, email, name, phone: null, tax_id: null },
      card: {
        brand: card.brand,
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
        country: 'US',
        display_brand: card.brand,
        exp_month: 12,
        exp_year: new Date(world.now()).getUTCFullYear() + 3,
        fingerprint: randomLetters(16),
        funding: 'credit',
        generated_from: null,
        last4: card.number.slice(-4),
        networks: { available: [card.brand], preferred: null },
        regulated_status: 'unregulated',
        three_d_secure_usage: { supported: true },
        wallet: null,
      },
      created: world.seconds(),
      customer,
      customer_account: null,
      livemode: false,
      metadata: {},
      type: 'card',
    },
    'payment_method.attached',
  );
}
