import { done, type Outcome } from '#domain/outcome.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';

/** Cancels a subscription at once and pays back what its last invoice took. Both can be repeated. */
export async function refundSubscription(
  billing: Billing,
  subscriptionId: string,
): Promise<Outcome<object, StripeCode>> {
  const cancelled = await cancelNow(billing, subscriptionId);
  if (!cancelled.ok) return cancelled;
  const { stripe } = billing;
  return ask(billing, 'refund a subscription', async () => {
    const { latest_invoice: invoice } = await stripe.subscriptions.retrieve(subscriptionId);
    if (invoice === null) return;
    const id = typeof invoice === 'string' ? invoice : invoice.id;
    if (id === undefined) return;
    const paid = await stripe.invoicePayments.list({ invoice: id, status: 'paid', limit: 100 });
    for (const { payment } of paid.data) {
      const intent = payment.type === 'payment_intent' ? payment.payment_intent : null;
      if (!intent) continue;
      const payment_intent = typeof intent === 'string' ? intent : intent.id;
      await stripe.refunds.create({ payment_intent }, { idempotencyKey: `refund-${payment_intent}` });
    }
  });
}

/** Cancels a subscription at once. One that has ended already counts as cancelled. */
export async function cancelNow(
  billing: Billing,
  subscriptionId: string,
): Promise<Outcome<object, StripeCode>> {
  const { stripe } = billing;
  return ask(billing, 'cancel a subscription', async () => {
    const { status } = await stripe.subscriptions.retrieve(subscriptionId);
    if (status === 'canceled' || status === 'incomplete_expired') return done({});
    const keep = { invoice_now: false, prorate: false };
    await stripe.subscriptions.cancel(subscriptionId, keep, { idempotencyKey: `cancel-${subscriptionId}` });
    return done({});
  });
}
