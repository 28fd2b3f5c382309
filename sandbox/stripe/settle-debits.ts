import { errorCodeOf } from './cards.ts';
import { failed, settle, subscriptionOf } from './collect.ts';
import { invoiceOfIntent, markPaid } from './invoices.ts';
import { randomLetters, type Settlement } from './state.ts';
import type { Invoice, PaymentIntent } from './stored.ts';
import type { StripeWorld } from './world.ts';

const failureMessage = 'The customer’s account has insufficient funds to cover this payment.';

/** The bank has answered about a debit, https://docs.stripe.com/payments/payment-methods#payment-notification. */
export function settleDebit(world: StripeWorld, intentId: string, ends: Settlement['ends']): PaymentIntent {
  world.setSettlement(intentId, null);
  const intent = world.require('payment_intent', intentId);
  if (intent.status !== 'processing') return intent;
  return ends === 'succeeds' ? succeed(world, intent) : fail(world, intent);
}

function succeed(world: StripeWorld, intent: PaymentIntent): PaymentIntent {
  const { amount } = intent;
  world.update(
    'charge',
    intent.latest_charge ?? '',
    {
      status: 'succeeded',
      paid: true,
      captured: true,
      amount_captured: amount,
      balance_transaction: `txn_${randomLetters(24)}`,
    },
    'charge.succeeded',
  );
  const paid = world.update(
    'payment_intent',
    intent.id,
    { status: 'succeeded', amount_received: amount },
    'payment_intent.succeeded',
  );
  const invoice = invoiceOfIntent(world, intent.id);
  if (invoice) {
    settle(world, markPaid(world, invoice.id));
    notifyCheckout(world, invoice, 'succeeded');
  }
  return paid;
}

/** After the first payment of a subscription has failed it is overdue like any other, https://docs.stripe.com/billing/subscriptions/overview. */
function fail(world: StripeWorld, intent: PaymentIntent): PaymentIntent {
  const charge = intent.latest_charge ?? '';
  const code = errorCodeOf('insufficient_funds');
  world.update(
    'charge',
    charge,
    { status: 'failed', failure_code: code, failure_message: failureMessage },
    'charge.failed',
  );
  const refused = world.update(
    'payment_intent',
    intent.id,
    {
      status: 'requires_payment_method',
      payment_method: null,
      last_payment_error: {
        type: 'invalid_request_error',
        code,
        message: failureMessage,
        charge,
      } as PaymentIntent['last_payment_error'],
    },
    'payment_intent.payment_failed',
  );
  const invoice = invoiceOfIntent(world, intent.id);
  if (!invoice) return refused;
  failed(world, invoice.id, refused);
  const subscription = subscriptionOf(world, invoice);
  if (subscription?.latest_invoice === invoice.id && subscription.status === 'active')
    world.update('subscription', subscription.id, { status: 'past_due' }, 'customer.subscription.updated');
  notifyCheckout(world, invoice, 'failed');
  return refused;
}

/**
 * Notifies of the end of a payment whose checkout was completed before,
 * https://docs.stripe.com/checkout/fulfillment.
 */
function notifyCheckout(world: StripeWorld, { id }: Invoice, how: 'succeeded' | 'failed'): void {
  const session = world.all('checkout.session').find(({ invoice }) => invoice === id);
  if (session?.payment_status !== 'unpaid') return;
  const ended =
    how === 'failed' ? session : world.update('checkout.session', session.id, { payment_status: 'paid' });
  world.emit(`checkout.session.async_payment_${how}`, ended);
}
