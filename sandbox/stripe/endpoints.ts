import { z } from 'zod';
import * as catalogue from './catalogue.ts';
import * as charges from './charge-list.ts';
import * as checkout from './checkout.ts';
import { lineItemsOf } from './checkout-lines.ts';
import { confirmIntent, confirmIntentShape } from './confirm-intent.ts';
import * as customers from './customers.ts';
import * as discounts from './discounts.ts';
import * as disputes from './disputes.ts';
import { act, type Endpoint, endpoint, list, retrieve, sublist } from './endpoint.ts';
import * as invoices from './invoice-calls.ts';
import * as items from './invoice-items.ts';
import { listMethodConfigurations } from './method-configurations.ts';
import { mergeMetadata, paging, text } from './parameters.ts';
import * as methods from './payment-methods.ts';
import * as portal from './portal.ts';
import * as refunds from './refunds.ts';
import * as schedules from './schedules.ts';
import type { Kind } from './stored.ts';
import * as subscriptions from './subscription-calls.ts';
import { listSubscriptions, listSubscriptionsShape } from './subscription-list.ts';
import { updateSubscription, updateSubscriptionShape } from './subscription-updates.ts';
import * as webhooks from './webhook-endpoints.ts';
import type { StripeWorld } from './world.ts';

function deleted(world: StripeWorld, kind: Kind, id: string, event?: string) {
  world.remove(kind, id, event);
  return { id, object: kind, deleted: true };
}

/** The account that the key belongs to, https://docs.stripe.com/api/accounts/object, in brief. */
const account: Endpoint = act(
  '/v1/account',
  (world) => ({
    id: world.state.accountId,
    object: 'account',
    business_type: 'individual',
    charges_enabled: true,
    country: 'US',
    default_currency: 'eur',
    details_submitted: true,
    email: 'owner@example.com',
    payouts_enabled: true,
    settings: { dashboard: { display_name: 'Sandbox', timezone: 'Etc/UTC' } },
    type: 'standard',
  }),
  'GET',
);

const catalogueEndpoints = [
  endpoint('POST', '/v1/products', catalogue.createProductShape, catalogue.createProduct),
  retrieve('/v1/products', 'product'),
  endpoint('POST', '/v1/products/:id', catalogue.updateProductShape, (world, given, id) =>
    catalogue.updateProduct(world, id, given),
  ),
  act('/v1/products/:id', (world, id) => deleted(world, 'product', id, 'product.deleted'), 'DELETE'),
  list('/v1/products', catalogue.listProductsShape, catalogue.listProducts),
  endpoint('POST', '/v1/prices', catalogue.createPriceShape, catalogue.createPrice),
  retrieve('/v1/prices', 'price'),
  endpoint('POST', '/v1/prices/:id', catalogue.updatePriceShape, (world, given, id) =>
    catalogue.updatePrice(world, id, given),
  ),
  list('/v1/prices', catalogue.listPricesShape, catalogue.listPrices),
  endpoint('POST', '/v1/coupons', discounts.createCouponShape, discounts.createCoupon),
  retrieve('/v1/coupons', 'coupon'),
  list('/v1/coupons', discounts.listCouponsShape, (world) => world.all('coupon')),
];

const customerEndpoints = [
  endpoint('POST', '/v1/customers', customers.createCustomerShape, customers.createCustomer),
  act(
    '/v1/customers/:id',
    (world, id) =>
      world.isDeleted(id) ? { id, object: 'customer', deleted: true } : world.require('customer', id),
    'GET',
  ),
  endpoint('POST', '/v1/customers/:id', customers.updateCustomerShape, (world, given, id) =>
    customers.updateCustomer(world, id, given),
  ),
  act('/v1/customers/:id', customers.deleteCustomer, 'DELETE'),
  sublist('/v1/customers/:id/payment_methods', (world, id) => {
    world.require('customer', id);
    return methods.methodsOf(world, id);
  }),
  list('/v1/customers', customers.listCustomersShape, customers.listCustomers),
];

const checkoutEndpoints = [
  endpoint('POST', '/v1/checkout/sessions', checkout.createSessionShape, checkout.createSession),
  retrieve('/v1/checkout/sessions', 'checkout.session'),
  endpoint('POST', '/v1/checkout/sessions/:id', checkout.updateSessionShape, (world, given, id) => {
    const session = world.require('checkout.session', id);
    return world.update('checkout.session', id, {
      metadata: mergeMetadata(session.metadata ?? {}, given.metadata),
    });
  }),
  act('/v1/checkout/sessions/:id/expire', checkout.expireSession),
  sublist('/v1/checkout/sessions/:id/line_items', (world, id) => {
    world.require('checkout.session', id);
    return lineItemsOf(world, id).data;
  }),
  list('/v1/checkout/sessions', checkout.listSessionsShape, checkout.listSessions),
];

const subscriptionEndpoints = [
  endpoint('POST', '/v1/subscriptions', subscriptions.createSubscriptionShape, subscriptions.createDirectly),
  retrieve('/v1/subscriptions', 'subscription'),
  endpoint('POST', '/v1/subscriptions/:id', updateSubscriptionShape, (world, given, id) =>
    updateSubscription(world, id, given),
  ),
  endpoint('DELETE', '/v1/subscriptions/:id', subscriptions.cancelSubscriptionShape, (world, given, id) =>
    subscriptions.cancelByRequest(world, id, given),
  ),
  endpoint('POST', '/v1/subscription_schedules', schedules.createScheduleShape, schedules.createSchedule),
  retrieve('/v1/subscription_schedules', 'subscription_schedule'),
  endpoint('POST', '/v1/subscription_schedules/:id', schedules.updateScheduleShape, (world, given, id) =>
    schedules.updateSchedule(world, id, given),
  ),
  endpoint('POST', '/v1/subscription_schedules/:id/release', schedules.releaseShape, (world, _given, id) =>
    schedules.releaseSchedule(world, id),
  ),
  list('/v1/subscription_schedules', schedules.listSchedulesShape, schedules.listSchedules),
  list('/v1/subscriptions', listSubscriptionsShape, listSubscriptions),
];

const webhookEndpoints = [
  endpoint('POST', '/v1/webhook_endpoints', webhooks.createEndpointShape, webhooks.createEndpoint),
  retrieve('/v1/webhook_endpoints', 'webhook_endpoint'),
  endpoint('POST', '/v1/webhook_endpoints/:id', webhooks.updateEndpointShape, (world, given, id) =>
    webhooks.updateEndpoint(world, id, given),
  ),
  act('/v1/webhook_endpoints/:id', (world, id) => deleted(world, 'webhook_endpoint', id), 'DELETE'),
  list('/v1/webhook_endpoints', webhooks.listEndpointsShape, (world) => world.all('webhook_endpoint')),
  retrieve('/v1/events', 'event'),
  list('/v1/events', webhooks.listEventsShape, webhooks.listEvents),
];

const paymentEndpoints = [
  list('/v1/payment_methods', methods.listMethodsShape, (world, { customer }) =>
    methods.methodsOf(world, customer),
  ),
  retrieve('/v1/payment_methods', 'payment_method'),
  endpoint('POST', '/v1/payment_methods/:id/attach', methods.attachShape, (world, { customer }, id) =>
    methods.attachMethod(world, id, customer),
  ),
  act('/v1/payment_methods/:id/detach', methods.detachMethod),
  retrieve('/v1/payment_intents', 'payment_intent'),
  endpoint('POST', '/v1/payment_intents/:id/confirm', confirmIntentShape, (world, given, id) =>
    confirmIntent(world, id, given),
  ),
  retrieve('/v1/charges', 'charge'),
  list('/v1/charges', charges.listChargesShape, charges.listCharges),
  endpoint('POST', '/v1/refunds', refunds.createRefundShape, refunds.createRefund),
  retrieve('/v1/refunds', 'refund'),
  list('/v1/refunds', refunds.listRefundsShape, refunds.listRefunds),
  retrieve('/v1/disputes', 'dispute'),
  act('/v1/disputes/:id/close', (world, id) => disputes.closeDispute(world, id, 'lost')),
  list('/v1/disputes', disputes.listDisputesShape, disputes.listDisputes),
];

const invoiceEndpoints = [
  endpoint('POST', '/v1/invoices/create_preview', invoices.previewShape, invoices.previewInvoice),
  endpoint('POST', '/v1/invoices', items.createInvoiceShape, items.createInvoice),
  retrieve('/v1/invoices', 'invoice'),
  list('/v1/invoices', invoices.listInvoicesShape, invoices.listInvoices),
  sublist('/v1/invoices/:id/lines', (world, id) => world.require('invoice', id).lines.data),
  endpoint('POST', '/v1/invoices/:id/pay', invoices.payInvoiceShape, (world, given, id) =>
    invoices.payInvoice(world, id, given),
  ),
  act('/v1/invoices/:id/finalize', invoices.finalizeByRequest),
  act('/v1/invoices/:id/void', invoices.voidByRequest),
  endpoint('POST', '/v1/invoiceitems', items.createItemShape, items.createItem),
  retrieve('/v1/invoiceitems', 'invoiceitem'),
  list('/v1/invoiceitems', items.listItemsShape, items.listItems),
  retrieve('/v1/invoice_payments', 'invoice_payment'),
  list('/v1/invoice_payments', invoices.listPaymentsShape, invoices.listPayments),
];

const portalEndpoints = [
  endpoint(
    'POST',
    '/v1/billing_portal/configurations',
    portal.createConfigurationShape,
    portal.createConfiguration,
  ),
  retrieve('/v1/billing_portal/configurations', 'billing_portal.configuration'),
  endpoint(
    'POST',
    '/v1/billing_portal/configurations/:id',
    portal.updateConfigurationShape,
    (world, given, id) => portal.updateConfiguration(world, id, given),
  ),
  list('/v1/billing_portal/configurations', portal.listConfigurationsShape, portal.listConfigurations),
  endpoint('POST', '/v1/billing_portal/sessions', portal.createPortalShape, portal.createPortalSession),
];

/** The list alone, https://docs.stripe.com/api/payment_method_configurations/list. */
const methodConfigurations = list(
  '/v1/payment_method_configurations',
  z.strictObject({ ...paging, application: text.optional() }),
  listMethodConfigurations,
);

/** Every call that this sandbox answers; any other is an unrecognized URL, as at Stripe. */
export const endpoints: Endpoint[] = [
  account,
  methodConfigurations,
  ...catalogueEndpoints,
  ...customerEndpoints,
  ...checkoutEndpoints,
  ...subscriptionEndpoints,
  ...paymentEndpoints,
  ...invoiceEndpoints,
  ...portalEndpoints,
  ...webhookEndpoints,
];
