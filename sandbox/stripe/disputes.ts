import { z } from 'zod';
import { isWithin } from './lists.ts';
import { createdRange, paging, text } from './parameters.ts';
import { invalidRequest } from './refusals.ts';
import { newId } from './state.ts';
import type { Dispute } from './stored.ts';
import type { StripeWorld } from './world.ts';

/** Days that the account has to answer, as card networks give them. */
const ANSWER_WITHIN_DAYS = 9;

const noEvidence: Dispute['evidence'] = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

/**
 * The customer asks the bank for the money back; it is taken at once, https://docs.stripe.com/disputes. An inquiry only
 * asks a question: no money is taken, and the charge can still be refunded, https://docs.stripe.com/disputes/how-disputes-work.
 */
export function disputeCharge(
  world: StripeWorld,
  chargeId: string,
  kind: 'dispute' | 'inquiry' = 'dispute',
): Dispute {
  const charge = world.require('charge', chargeId, 'charge');
  if (!charge.paid || charge.disputed)
    // Only the sandbox’s panel can ask for it.
    throw invalidRequest('This charge cannot be disputed.', { param: 'charge' });
  world.update('charge', chargeId, { disputed: true }, 'charge.updated');
  const dispute = world.create(
    'dispute',
    {
      id: newId('dispute'),
      object: 'dispute',
      amount: charge.amount,
      balance_transactions: [],
      charge: chargeId,
      created: world.seconds(),
      currency: charge.currency,
      enhanced_eligibility_types: [],
      evidence: noEvidence,
      evidence_details: {
        due_by: world.seconds() + ANSWER_WITHIN_DAYS * 86_400,
        enhanced_eligibility: {},
        has_evidence: false,
        past_due: false,
        submission_count: 0,
        submission_method: 'not_submitted',
      },
      intended_submission_method: null,
      is_charge_refundable: kind === 'inquiry',
      livemode: false,
      metadata: {},
      payment_intent: charge.payment_intent,
      reason: 'fraudulent',
      status: kind === 'inquiry' ? 'warning_needs_response' : 'needs_response',
    },
    'charge.dispute.created',
  );
  if (kind === 'dispute') world.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** The bank has decided. */
export function closeDispute(world: StripeWorld, id: string, status: 'lost' | 'won'): Dispute {
  const { status: before } = world.require('dispute', id);
  // Only the sandbox’s panel can ask for it.
  if (before !== 'needs_response') throw invalidRequest('This dispute is already closed.');
  const closed = world.update('dispute', id, { status }, 'charge.dispute.closed');
  if (status === 'won') world.emit('charge.dispute.funds_reinstated', closed);
  return closed;
}

/** An inquiry that nobody pursues is closed; one that is pursued becomes a dispute, and the money is taken then. */
export function endInquiry(world: StripeWorld, id: string, outcome: 'closed' | 'disputed'): Dispute {
  const { status, charge } = world.require('dispute', id);
  // Only the sandbox’s panel can ask for it.
  if (status !== 'warning_needs_response') throw invalidRequest('This inquiry is already closed.');
  if (outcome === 'closed') {
    world.update('charge', charge, { disputed: false }, 'charge.updated');
    return world.update('dispute', id, { status: 'warning_closed' }, 'charge.dispute.closed');
  }
  const taken = { status: 'needs_response', is_charge_refundable: false } as const;
  const dispute = world.update('dispute', id, taken, 'charge.dispute.updated');
  world.emit('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** The inquiry about a charge that waits for an answer, or null. */
export const inquiryAbout = (world: StripeWorld, chargeId: string): Dispute | null =>
  world
    .all('dispute')
    .find(({ charge, status }) => charge === chargeId && status === 'warning_needs_response') ?? null;

export const listDisputesShape = z.strictObject({
  ...paging,
  charge: text.optional(),
  created: createdRange,
  payment_intent: text.optional(),
});

export function listDisputes(world: StripeWorld, given: z.output<typeof listDisputesShape>): Dispute[] {
  return world
    .all('dispute')
    .filter(
      (dispute) =>
        (!given.charge || dispute.charge === given.charge) &&
        (!given.payment_intent || dispute.payment_intent === given.payment_intent) &&
        isWithin(dispute.created, given.created),
    );
}
