import { afterEach, beforeEach, expect, test } from 'vitest';
import { addItem, chargeExtra, giveDiscount } from '#sandbox/stripe/dashboard.ts';
import { createRefund } from '#sandbox/stripe/refunds.ts';
import type { Kind } from '#sandbox/stripe/stored.ts';
import { faultsAgainst } from './sdk-types.ts';
import { openStripe, type StripeStage } from './stage.ts';

let stage: StripeStage;

beforeEach(async () => {
  stage = await openStripe();
});

afterEach(async () => {
  await stage.close();
});

/** The places where the SDK declares each kind of object. */
const declared: [Kind, string, string][] = [
  ['customer', 'Customers', 'Customer'],
  ['product', 'Products', 'Product'],
  ['price', 'Prices', 'Price'],
  ['checkout.session', 'Checkout/Sessions', 'Session'],
  ['subscription', 'Subscriptions', 'Subscription'],
  ['subscription_schedule', 'SubscriptionSchedules', 'SubscriptionSchedule'],
  ['invoice', 'Invoices', 'Invoice'],
  ['invoice_payment', 'InvoicePayments', 'InvoicePayment'],
  ['invoiceitem', 'InvoiceItems', 'InvoiceItem'],
  ['coupon', 'Coupons', 'Coupon'],
  ['discount', 'Discounts', 'Discount'],
  ['payment_method', 'PaymentMethods', 'PaymentMethod'],
  ['payment_intent', 'PaymentIntents', 'PaymentIntent'],
  ['charge', 'Charges', 'Charge'],
  ['refund', 'Refunds', 'Refund'],
  ['dispute', 'Disputes', 'Dispute'],
  ['billing_portal.configuration', 'BillingPortal/Configurations', 'Configuration'],
  ['billing_portal.session', 'BillingPortal/Sessions', 'Session'],
  ['webhook_endpoint', 'WebhookEndpoints', 'WebhookEndpoint'],
];

/** Something of every kind, in several states. */
async function liveThrough() {
  const { stripe, world } = stage;
  const { subscription, customer, price } = await stage.subscribe();
  await stage.subscribe('4242424242424242', {
    subscription_data: { trial_period_days: 14 },
    automatic_tax: { enabled: true },
  });
  const pro = await stage.priceOf(price.product, 1500, 'month');
  world.orderPaymentTrouble(customer.id, { outcome: 'authenticate', times: 1 });
  await stripe.subscriptions.update(subscription.id, {
    items: [{ id: String(subscription.items.data[0]?.id), price: pro.id }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  });
  const other = await stage.subscribe('4000000000000259');
  await stripe.subscriptionSchedules.create({ from_subscription: other.subscription.id });
  const paid = world.all('charge').find((charge) => charge.paid && !charge.disputed);
  world.transaction(() => createRefund(world, { charge: String(paid?.id) }));
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price'],
        products: [{ product: String(price.product), prices: [pro.id] }],
      },
    },
  });
  await stripe.billingPortal.sessions.create({
    customer: other.customer.id,
    configuration: configuration.id,
    flow_data: { type: 'subscription_cancel', subscription_cancel: { subscription: other.subscription.id } },
  });
  world.transaction(() => {
    giveDiscount(world, subscription.id, { percent: 10, duration: 'forever' });
    addItem(world, subscription.id, { name: 'Support', amount: 200 });
    chargeExtra(world, subscription.id, { description: 'A poster', amount: 250, isInvoicedNow: true });
  });
  await stripe.subscriptions.update(subscription.id, { pause_collection: { behavior: 'void' } });
  world.choose({ debits: true });
  await stage.subscribe('AT611904300234573201');
  await stripe.paymentMethods.attach('pm_usBankAccount_success', { customer: customer.id });
  world.orderPaymentTrouble(customer.id, { outcome: 'declined', times: 9 });
  stage.advanceDays(40);
}

test('Every object has the fields that the SDK calls certain, and no other', async () => {
  await liveThrough();
  const faults = declared.flatMap(([kind, file, name]) => {
    const objects = stage.world.all(kind);
    expect(objects.length, kind).toBeGreaterThan(0);
    return objects.flatMap((object) => faultsAgainst(file, name, object));
  });
  expect([...new Set(faults)]).toEqual([]);
});

test('The comparison with the SDK’s types notices what is missing, null or unknown', async () => {
  const { customer } = await stage.subscribe();
  const { livemode: _, ...without } = customer;
  const faults = faultsAgainst('Customers', 'Customer', {
    ...without,
    created: null,
    invoice_settings: { ...customer.invoice_settings, footer: undefined },
    colour: 'blue',
    lastResponse: undefined,
  });
  expect(faults).toEqual([
    'Customer.colour is unknown',
    'Customer.lastResponse is unknown',
    'Customer.created is null',
    'Customer.invoice_settings.footer is missing',
    'Customer.livemode is missing',
  ]);
});
