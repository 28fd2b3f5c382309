import { z } from 'zod';
import { cancelSubscription, hasEnded } from './cancellations.ts';
import { isWithin } from './lists.ts';
import {
  address,
  common,
  createdRange,
  listOf,
  mergeMetadata,
  metadata,
  orUnset,
  paging,
  text,
  whole,
} from './parameters.ts';
import { newId, randomLetters } from './state.ts';
import type { Customer } from './stored.ts';
import type { StripeWorld } from './world.ts';

const fields = {
  ...common,
  address: orUnset(z.unknown()).optional(),
  balance: whole.optional(),
  business_name: orUnset(text).optional(),
  description: text.optional(),
  email: text.optional(),
  individual_name: orUnset(text).optional(),
  invoice_settings: z
    .strictObject({ default_payment_method: text.optional(), footer: text.optional() })
    .optional(),
  metadata,
  name: text.optional(),
  phone: text.optional(),
  preferred_locales: listOf(text).optional(),
  tax: z
    .strictObject({ ip_address: orUnset(text).optional(), validate_location: text.optional() })
    .optional(),
  tax_exempt: text.optional(),
};

export const createCustomerShape = z.strictObject({ ...fields, address });
export const updateCustomerShape = z.strictObject({ ...fields, address, default_source: text.optional() });
export const listCustomersShape = z.strictObject({
  ...paging,
  email: text.optional(),
  created: createdRange,
});

export function createCustomer(world: StripeWorld, given: z.output<typeof createCustomerShape>): Customer {
  const customer: Customer = {
    id: newId('customer'),
    object: 'customer',
    address: null,
    balance: given.balance ?? 0,
    created: world.seconds(),
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: given.description || null,
    discount: null,
    email: given.email || null,
    invoice_prefix: randomLetters(8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: given.invoice_settings?.footer || null,
      rendering_options: null,
    },
    livemode: false,
    metadata: mergeMetadata({}, given.metadata),
    name: given.name || null,
    next_invoice_sequence: 1,
    phone: given.phone || null,
    preferred_locales: given.preferred_locales ?? [],
    shipping: null,
    tax_exempt: (given.tax_exempt as Customer['tax_exempt']) || 'none',
    test_clock: null,
  };
  const made = { ...customer, ...(given.address && { address: fullAddress(given.address) }) };
  return world.create('customer', made, 'customer.created');
}

function fullAddress(given: NonNullable<z.output<typeof address>>): NonNullable<Customer['address']> {
  const { city = null, country = null, line1 = null, line2 = null, postal_code = null, state = null } = given;
  return { city, country, line1, line2, postal_code, state };
}

export function updateCustomer(
  world: StripeWorld,
  id: string,
  given: z.output<typeof updateCustomerShape>,
): Customer {
  const customer = world.require('customer', id);
  const method = given.invoice_settings?.default_payment_method;
  if (method) world.require('payment_method', method, 'invoice_settings[default_payment_method]');
  const plain = ['description', 'email', 'name', 'phone'] as const;
  const changed = Object.fromEntries(
    plain.filter((name) => given[name] !== undefined).map((name) => [name, given[name] || null]),
  );
  return world.update(
    'customer',
    id,
    {
      ...changed,
      ...(given.balance !== undefined && { balance: given.balance }),
      ...(given.address && { address: fullAddress(given.address) }),
      ...(given.preferred_locales && { preferred_locales: given.preferred_locales }),
      ...(method !== undefined && {
        invoice_settings: { ...customer.invoice_settings, default_payment_method: method || null },
      }),
      metadata: mergeMetadata(customer.metadata, given.metadata),
    },
    'customer.updated',
  );
}

export function listCustomers(world: StripeWorld, given: z.output<typeof listCustomersShape>): Customer[] {
  return world
    .all('customer')
    .filter(
      ({ email, created }) =>
        (given.email === undefined || email === given.email) && isWithin(created, given.created),
    );
}

/** Its subscriptions end at once and are not paid back, https://docs.stripe.com/api/customers/delete. */
export function deleteCustomer(world: StripeWorld, id: string) {
  world.require('customer', id);
  for (const subscription of world.all('subscription')) {
    if (subscription.customer === id && !hasEnded(subscription)) {
      cancelSubscription(world, subscription.id, { reason: 'cancellation_requested' });
    }
  }
  world.remove('customer', id, 'customer.deleted');
  return { id, object: 'customer', deleted: true };
}
