import { z } from 'zod';
import { collectInvoice } from './collect.ts';
import { challengeUrl } from './invoice-pages.ts';
import { invoiceOfIntent } from './invoices.ts';
import { bool, common, text } from './parameters.ts';
import { cardRefusal, invalidRequest, type StripeRefusal } from './refusals.ts';
import type { PaymentIntent } from './stored.ts';
import type { StripeWorld } from './world.ts';

export const confirmIntentShape = z.strictObject({
  ...common,
  off_session: bool.optional(),
  payment_method: text.optional(),
  return_url: text.optional(),
});

/** Tries to pay an invoice's intent, https://docs.stripe.com/api/payment_intents/confirm; with an address to return to, 3-D Secure is a redirect. */
export function confirmIntent(
  world: StripeWorld,
  id: string,
  given: z.output<typeof confirmIntentShape>,
): PaymentIntent | StripeRefusal {
  const { status, payment_method: before } = world.require('payment_intent', id);
  const invoice = invoiceOfIntent(world, id);
  if (!invoice || !['requires_payment_method', 'requires_action', 'requires_confirmation'].includes(status)) {
    // Believed.
    throw invalidRequest(`You cannot confirm this PaymentIntent because it has a status of ${status}.`, {
      code: 'payment_intent_unexpected_state',
    });
  }
  collectInvoice(world, invoice.id, {
    offSession: given.off_session ?? false,
    paymentMethod: given.payment_method ?? before,
  });
  const intent = world.require('payment_intent', id);
  if (intent.status === 'requires_payment_method') return cardRefusal(intent.last_payment_error);
  if (intent.status !== 'requires_action' || !given.return_url) return intent;
  return world.update('payment_intent', id, {
    next_action: {
      type: 'redirect_to_url',
      redirect_to_url: {
        return_url: given.return_url,
        url: world.pageUrl(challengeUrl(id, given.return_url)),
      },
    },
  });
}
