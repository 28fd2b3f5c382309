import { declineMessage, errorCodeOf } from './cards.ts';
import { createCharge } from './charges.ts';
import { isDebit, processDebit } from './debits.ts';
import { disputeCharge } from './disputes.ts';
import { type CardOutcome, newId, randomLetters } from './state.ts';
import type { PaymentIntent } from './stored.ts';
import type { StripeWorld } from './world.ts';

export interface NewIntent {
  customer: string;
  amount: number;
  currency: string;
  description: string | null;
  offSession: boolean;
  invoice: string | null;
}

/** A payment that waits for a card; every nullable field of the SDK's type is there. */
export function createIntent(world: StripeWorld, payment: NewIntent): PaymentIntent {
  const id = newId('payment_intent');
  return world.create(
    'payment_intent',
    {
      id,
      object: 'payment_intent',
      allowed_payment_method_types: null,
      amount: payment.amount,
      amount_capturable: 0,
      amount_received: 0,
      application: null,
      application_fee_amount: null,
      automatic_payment_methods: null,
      canceled_at: null,
      cancellation_reason: null,
      capture_method: 'automatic',
      client_secret: `${id}_secret_${randomLetters(24)}`,
      confirmation_method: 'automatic',
      created: world.seconds(),
      currency: payment.currency,
      customer: payment.customer,
      customer_account: null,
      description: payment.description,
      excluded_payment_method_types: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      managed_payments: null,
      metadata: {},
      next_action: null,
      on_behalf_of: null,
      ...(payment.invoice && {
        payment_details: { customer_reference: null, order_reference: payment.invoice },
      }),
      payment_method: null,
      payment_method_configuration_details: null,
      payment_method_options: {
        card: {
          installments: null,
          mandate_options: null,
          network: null,
          request_three_d_secure: 'automatic',
        },
      },
      payment_method_types: ['card'],
      payment_record: null,
      processing: null,
      receipt_email: null,
      review: null,
      setup_future_usage: 'off_session',
      shipping: null,
      source: null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status: 'requires_payment_method',
      transfer_data: null,
      transfer_group: null,
    },
    'payment_intent.created',
  );
}

/** The outcome of this payment: as ordered on the panel for the customer, or as the card behaves. */
function outcomeOf(
  world: StripeWorld,
  intent: PaymentIntent,
  paymentMethod: string,
  offSession: boolean,
): CardOutcome {
  const ordered = world.takePaymentTrouble(intent.customer ?? '');
  if (ordered) return ordered;
  const card = world.state.cards[paymentMethod];
  if (!card) return 'succeeds';
  return offSession ? card.offSession : card.onSession;
}

export interface Attempt {
  paymentMethod: string | null;
  /** The customer is not there: nobody can answer a 3-D Secure challenge now. */
  offSession: boolean;
  /** The challenge of an earlier attempt has been answered. */
  isAuthenticated?: boolean;
}

/** Tries to pay; the result is in the intent's `status`, https://docs.stripe.com/payments/paymentintents/lifecycle. */
export function attemptPayment(world: StripeWorld, intentId: string, attempt: Attempt): PaymentIntent {
  const intent = world.require('payment_intent', intentId);
  const { paymentMethod } = attempt;
  if (!paymentMethod) return refuseAttempt(world, intent, null, 'missing_payment_method');
  if (isDebit(world, paymentMethod)) return processDebit(world, intent, paymentMethod);
  const outcome = attempt.isAuthenticated
    ? 'succeeds'
    : outcomeOf(world, intent, paymentMethod, attempt.offSession);
  if (outcome === 'succeeds') return succeed(world, intent, paymentMethod);
  if (outcome === 'declined')
    return refuseAttempt(
      world,
      intent,
      paymentMethod,
      world.state.cards[paymentMethod]?.declineCode ?? 'generic_decline',
    );
  return world.update(
    'payment_intent',
    intentId,
    {
      status: 'requires_action',
      payment_method: paymentMethod,
      last_payment_error: null,
      next_action: {
        type: 'use_stripe_sdk',
        use_stripe_sdk: { type: 'three_d_secure_redirect' },
      } as PaymentIntent['next_action'],
    },
    'payment_intent.requires_action',
  );
}

function succeed(world: StripeWorld, intent: PaymentIntent, paymentMethod: string): PaymentIntent {
  const charge = createCharge(world, intent, paymentMethod, { status: 'succeeded' });
  if (world.state.cards[paymentMethod]?.isDisputed) disputeCharge(world, charge.id);
  return world.update(
    'payment_intent',
    intent.id,
    {
      status: 'succeeded',
      amount_received: intent.amount,
      latest_charge: charge.id,
      payment_method: paymentMethod,
      last_payment_error: null,
      next_action: null,
    },
    'payment_intent.succeeded',
  );
}

/** A payment that failed: declined, its challenge not answered, or without any card. */
export function refuseAttempt(
  world: StripeWorld,
  intent: PaymentIntent,
  paymentMethod: string | null,
  declineCode: string,
): PaymentIntent {
  const isCard = declineCode !== 'payment_intent_authentication_failure' && paymentMethod !== null;
  const charge = isCard
    ? createCharge(world, intent, paymentMethod, { status: 'failed', declineCode })
    : null;
  const message =
    declineCode === 'payment_intent_authentication_failure'
      ? 'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.'
      : declineMessage(declineCode);
  return world.update(
    'payment_intent',
    intent.id,
    {
      status: 'requires_payment_method',
      latest_charge: charge?.id ?? intent.latest_charge,
      payment_method: null,
      next_action: null,
      last_payment_error: {
        type: isCard ? 'card_error' : 'invalid_request_error',
        code: isCard ? errorCodeOf(declineCode) : declineCode,
        message,
        ...(isCard && { decline_code: declineCode }),
        ...(charge && { charge: charge.id }),
      } as PaymentIntent['last_payment_error'],
    },
    'payment_intent.payment_failed',
  );
}
