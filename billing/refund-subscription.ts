import type Stripe from 'stripe';
import { done, type Outcome } from '#domain/outcome.ts';
import type { Surplus } from '#domain/subscription/surplus.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';

/** The money is back already: by an earlier refund, or because the bank took it. */
const returnedCodes = new Set<unknown>(['charge_already_refunded', 'charge_disputed']);

/**
 * Pays back what the last invoice of a subscription took and cancels it at once. Both can be repeated; the refund comes
 * first, because only a live subscription is found again after a crash.
 */
export async function refundSubscription(
  billing: Billing,
  { id, why }: Surplus,
): Promise<Outcome<object, StripeCode>> {
  const { stripe } = billing;
  const refunded = await ask(billing, 'refund a subscription', async () => {
    const { latest_invoice: invoice } = await stripe.subscriptions.retrieve(id);
    const invoiceId = typeof invoice === 'string' ? invoice : invoice?.id;
    if (invoiceId === undefined) return;
    const paid = await stripe.invoicePayments.list({ invoice: invoiceId, status: 'paid', limit: 100 });
    for (const { payment } of paid.data) {
      const intent = payment.type === 'payment_intent' ? payment.payment_intent : null;
      if (intent) await refundPayment(stripe, typeof intent === 'string' ? intent : intent.id, why);
    }
  });
  return refunded.ok ? cancelNow(billing, id) : refunded;
}

async function refundPayment(
  stripe: Stripe,
  payment_intent: string,
  keepsake_refund: Surplus['why'],
): Promise<void> {
  const key = { idempotencyKey: `surplus-${payment_intent}` };
  try {
    await stripe.refunds.create({ payment_intent, metadata: { keepsake_refund } }, key);
  } catch (error) {
    if (!returnedCodes.has((error as { code?: unknown }).code)) throw error;
  }
}

/**
 * Cancels a subscription at once, and voids its unpaid invoices: nobody can pay for nothing. One that has ended already
 * counts as cancelled.
 */
export async function cancelNow(
  billing: Billing,
  subscription: string,
): Promise<Outcome<object, StripeCode>> {
  const { stripe } = billing;
  return ask(billing, 'cancel a subscription', async () => {
    const { status } = await stripe.subscriptions.retrieve(subscription);
    if (status !== 'canceled' && status !== 'incomplete_expired') {
      const how = { invoice_now: false, prorate: false };
      await stripe.subscriptions.cancel(subscription, how, { idempotencyKey: `cancel-${subscription}` });
    }
    const unpaid = await stripe.invoices.list({ subscription, status: 'open', limit: 100 });
    for (const { id } of unpaid.data)
      await stripe.invoices.voidInvoice(id, {}, { idempotencyKey: `void-${id}` });
    return done({});
  });
}
