import { declineMessage, errorCodeOf } from './cards.ts';
import { newId, randomLetters } from './state.ts';
import type { Charge, PaymentIntent, PaymentMethod } from './stored.ts';
import type { StripeWorld } from './world.ts';

/** The start of a charge: a debit is pending for days. */
export type ChargeStart =
  | { status: 'succeeded' | 'pending'; declineCode?: undefined }
  | { status: 'failed'; declineCode: string };

export function createCharge(
  world: StripeWorld,
  intent: PaymentIntent,
  paymentMethod: string,
  start: ChargeStart,
): Charge {
  const method = world.require('payment_method', paymentMethod);
  const id = newId('charge');
  const { status } = start;
  const declineCode = start.declineCode ?? null;
  const isPaid = status === 'succeeded';
  return world.create(
    'charge',
    {
      id,
      object: 'charge',
      amount: intent.amount,
      amount_captured: isPaid ? intent.amount : 0,
      amount_refunded: 0,
      application: null,
      application_fee: null,
      application_fee_amount: null,
      balance_transaction: isPaid ? `txn_${randomLetters(24)}` : null,
      billing_details: method.billing_details,
      calculated_statement_descriptor: 'SANDBOX',
      captured: isPaid,
      created: world.seconds(),
      currency: intent.currency,
      customer: intent.customer,
      description: intent.description,
      disputed: false,
      failure_balance_transaction: null,
      failure_code: declineCode && errorCodeOf(declineCode),
      failure_message: declineCode && declineMessage(declineCode),
      fraud_details: {},
      livemode: false,
      metadata: {},
      on_behalf_of: null,
      outcome: chargeOutcome(declineCode),
      paid: isPaid,
      payment_intent: intent.id,
      payment_method: paymentMethod,
      payment_method_details: {
        type: method.type,
        ...(method.card && { card: chargedCard(method.card, isPaid) }),
        ...debitDetails(method),
      },
      receipt_email: null,
      receipt_number: null,
      receipt_url: null,
      refunded: false,
      review: null,
      shipping: null,
      source: null,
      source_transfer: null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      status,
      transfer_data: null,
      transfer_group: null,
    },
    `charge.${status}`,
  );
}

/** The account that is debited, without the mandate, which this sandbox does not keep. */
function debitDetails({
  sepa_debit: sepa,
  us_bank_account: account,
}: PaymentMethod): Partial<NonNullable<Charge['payment_method_details']>> {
  if (sepa) {
    const { bank_code, branch_code, country, fingerprint, last4 } = sepa;
    return { sepa_debit: { bank_code, branch_code, country, fingerprint, last4, mandate: null } };
  }
  if (!account) return {};
  const { account_holder_type, account_type, bank_name, fingerprint, last4, routing_number } = account;
  return {
    us_bank_account: {
      account_holder_type,
      account_type,
      bank_name,
      fingerprint,
      last4,
      payment_reference: null,
      routing_number,
    },
  };
}

type ChargedCard = NonNullable<NonNullable<Charge['payment_method_details']>['card']>;

function chargedCard(card: NonNullable<PaymentMethod['card']>, isPaid: boolean): ChargedCard {
  const {
    brand,
    checks,
    country,
    exp_month,
    exp_year,
    fingerprint = null,
    funding,
    last4,
    regulated_status,
  } = card;
  return {
    amount_authorized: null,
    authorization_code: isPaid ? randomLetters(6).toUpperCase() : null,
    brand,
    checks,
    country,
    electronic_commerce_indicator: null,
    exp_month,
    exp_year,
    fingerprint,
    funding,
    installments: null,
    last4,
    mandate: null,
    network: brand,
    network_transaction_id: null,
    regulated_status,
    three_d_secure: null,
    transaction_link_id: null,
    wallet: null,
  };
}

function chargeOutcome(declineCode: string | null): NonNullable<Charge['outcome']> {
  return {
    advice_code: null,
    network_advice_code: null,
    network_decline_code: declineCode && '05',
    network_status: declineCode ? 'declined_by_network' : 'approved_by_network',
    reason: declineCode,
    risk_level: 'normal',
    risk_score: 20,
    seller_message: declineCode
      ? 'The bank did not return any further details with this decline.'
      : 'Payment complete.',
    type: declineCode ? 'issuer_declined' : 'authorized',
  };
}
