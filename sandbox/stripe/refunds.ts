import { z } from 'zod';
import { endInquiry, inquiryAbout } from './disputes.ts';
import { isWithin } from './lists.ts';
import { common, createdRange, mergeMetadata, metadata, paging, text, whole } from './parameters.ts';
import { invalidRequest } from './refusals.ts';
import { newId, randomLetters } from './state.ts';
import type { Charge, Refund } from './stored.ts';
import type { StripeWorld } from './world.ts';

export const createRefundShape = z.strictObject({
  ...common,
  amount: whole.optional(),
  charge: text.optional(),
  metadata,
  payment_intent: text.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
});

export const listRefundsShape = z.strictObject({
  ...paging,
  charge: text.optional(),
  created: createdRange,
  payment_intent: text.optional(),
});

function chargeOf(world: StripeWorld, given: z.output<typeof createRefundShape>): Charge {
  if (given.charge) return world.require('charge', given.charge, 'charge');
  if (!given.payment_intent)
    throw invalidRequest(
      'One of the following params should be provided for this request: payment_intent or charge.',
    );
  const intent = world.require('payment_intent', given.payment_intent, 'payment_intent');
  if (intent.status !== 'succeeded') {
    throw invalidRequest(`This PaymentIntent (${intent.id}) does not have a successful charge to refund.`, {
      param: 'payment_intent',
    });
  }
  return world.require('charge', intent.latest_charge ?? '', 'charge');
}

/** Formats an amount as refusals name it. It is believed that other currencies are written alike. */
const dollars = (amount: number) => `$${(amount / 100).toFixed(2)}`;

const destinationOf = ({ payment_method_details: details }: Charge): Refund['destination_details'] =>
  details?.card
    ? {
        type: 'card',
        card: { type: 'refund', reference_status: 'pending', reference_type: 'acquirer_reference_number' },
      }
    : { type: details?.type ?? 'card' };

/** Pays a charge back, in whole or in part, https://docs.stripe.com/api/refunds/create. */
export function createRefund(world: StripeWorld, given: z.output<typeof createRefundShape>): Refund {
  const charge = chargeOf(world, given);
  if (charge.refunded) {
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  }
  const inquiry = inquiryAbout(world, charge.id);
  if (charge.disputed && !inquiry) {
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  }
  const left = charge.amount_captured - charge.amount_refunded;
  const amount = given.amount ?? left;
  if (amount < 1 || amount > left) {
    throw invalidRequest(
      `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`,
      {
        param: 'amount',
      },
    );
  }
  const refund = world.create(
    'refund',
    {
      id: newId('refund'),
      object: 'refund',
      amount,
      balance_transaction: `txn_${randomLetters(24)}`,
      charge: charge.id,
      created: world.seconds(),
      currency: charge.currency,
      customer: charge.customer,
      customer_account: null,
      destination_details: destinationOf(charge),
      metadata: mergeMetadata({}, given.metadata),
      payment_intent: charge.payment_intent,
      payment_method: charge.payment_method,
      reason: given.reason ?? null,
      receipt_number: null,
      source_transfer_reversal: null,
      status: 'succeeded',
      transfer_reversal: null,
    },
    'refund.created',
  );
  const refunded = charge.amount_refunded + amount;
  const updated = world.update('charge', charge.id, {
    amount_refunded: refunded,
    refunded: refunded === charge.amount_captured,
  });
  world.emit('charge.refunded', updated, {
    amount_refunded: charge.amount_refunded,
    refunded: charge.refunded,
  });
  // A full refund resolves an inquiry, https://docs.stripe.com/disputes/how-disputes-work.
  if (inquiry && updated.refunded) endInquiry(world, inquiry.id, 'closed');
  return refund;
}

export function listRefunds(world: StripeWorld, given: z.output<typeof listRefundsShape>): Refund[] {
  return world
    .all('refund')
    .filter(
      (refund) =>
        (!given.charge || refund.charge === given.charge) &&
        (!given.payment_intent || refund.payment_intent === given.payment_intent) &&
        isWithin(refund.created, given.created),
    );
}
