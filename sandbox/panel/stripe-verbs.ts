import { z } from 'zod';
import { cancelSubscription } from '#sandbox/stripe/cancellations.ts';
import { closeDispute, disputeCharge } from '#sandbox/stripe/disputes.ts';
import { createRefund } from '#sandbox/stripe/refunds.ts';
import { wholeNumber } from './fields.ts';
import { count } from './layout.ts';
import type { Panel } from './panel.ts';
import { addDashboardVerbs } from './stripe-dashboard.ts';

const page = '/stripe';

function addPaymentVerbs(panel: Panel): void {
  const { stripe } = panel.worlds;
  panel.verb(
    '/stripe/customers/:customerId/next-payment',
    'Decides how a customer’s coming payments end: `outcome` is declined, authenticate (3-D Secure) or succeeds, for the next `times` payments.',
    z.object({
      outcome: z.enum(['declined', 'authenticate', 'succeeds']),
      times: wholeNumber(1, 100).default(1),
    }),
    ({ customerId }, { outcome, times }) => {
      stripe.orderPaymentTrouble(customerId, outcome === 'succeeds' ? null : { outcome, times });
      const said =
        outcome === 'succeeds'
          ? 'Payments end as the card says.'
          : `${count(times, 'payment')} will ${outcome === 'declined' ? 'be declined' : 'ask for 3-D Secure'}.`;
      return { said, page };
    },
  );
  panel.verb(
    '/stripe/charges/:chargeId/refund',
    'Pays a charge back in whole.',
    z.object({}),
    ({ chargeId }) => {
      const refund = stripe.transaction(() => createRefund(stripe, { charge: chargeId }));
      return { said: 'Refunded.', page, result: { refund: refund.id } };
    },
  );
  panel.verb(
    '/stripe/charges/:chargeId/dispute',
    'The customer asks the bank for the money back.',
    z.object({}),
    ({ chargeId }) => {
      const dispute = stripe.transaction(() => disputeCharge(stripe, chargeId));
      return {
        said: 'Disputed: the money is taken back until the bank decides.',
        page,
        result: { dispute: dispute.id },
      };
    },
  );
  panel.verb(
    '/stripe/disputes/:disputeId/close',
    'The bank decides: `outcome` is won or lost.',
    z.object({ outcome: z.enum(['won', 'lost']) }),
    ({ disputeId }, { outcome }) => {
      stripe.transaction(() => closeDispute(stripe, disputeId, outcome));
      return { said: `The dispute is ${outcome}.`, page };
    },
  );
}

/** Adds the acts on payments and subscriptions that happen on Stripe's side. */
export function addStripeVerbs(panel: Panel): void {
  const { stripe } = panel.worlds;
  addPaymentVerbs(panel);
  addDashboardVerbs(panel);
  panel.verb(
    '/stripe/subscriptions/:subscriptionId/cancel',
    'Cancels a subscription at once, as in Stripe’s dashboard.',
    z.object({}),
    ({ subscriptionId }) => {
      stripe.transaction(() =>
        cancelSubscription(stripe, subscriptionId, { reason: 'cancellation_requested' }),
      );
      return { said: 'Cancelled.', page };
    },
  );
  panel.verb(
    '/stripe/settings',
    'The account’s choices: `afterRetries` is cancel, unpaid or past_due; `portalCancels` is cancel_at or cancel_at_period_end; `debits` (on or off) are offered beside cards.',
    z.object({
      afterRetries: z.enum(['cancel', 'unpaid', 'past_due']).optional(),
      portalCancels: z.enum(['cancel_at', 'cancel_at_period_end']).optional(),
      debits: z.enum(['on', 'off']).optional(),
    }),
    (_params, { afterRetries, portalCancels, debits }) => {
      stripe.choose({
        ...(afterRetries && { afterRetries }),
        ...(portalCancels && { portalCancels }),
        ...(debits && { debits: debits === 'on' }),
      });
      return { said: 'Saved.', page, result: { settings: { ...stripe.state.settings } } };
    },
  );
  panel.json(
    '/stripe.json',
    'Customers with their subscriptions and charges, and webhooks on the way.',
    () => ({
      customers: stripe.all('customer').map(({ id, name, email, metadata }) => ({
        id,
        name,
        email,
        metadata,
        subscriptions: stripe.all('subscription').filter(({ customer }) => customer === id),
        charges: stripe.all('charge').filter(({ customer }) => customer === id),
      })),
      settings: stripe.state.settings,
      webhooks: stripe.state.deliveries.length,
    }),
  );
}
