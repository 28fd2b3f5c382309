import { z } from 'zod';
import { isWithin } from './lists.ts';
import { createdRange, paging, text } from './parameters.ts';
import type { Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

const statuses = [
  'active',
  'all',
  'canceled',
  'ended',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
] as const;

export const listSubscriptionsShape = z.strictObject({
  ...paging,
  created: createdRange,
  collection_method: z.enum(['charge_automatically', 'send_invoice']).optional(),
  customer: text.optional(),
  price: text.optional(),
  status: z.enum(statuses, `Invalid status: must be one of ${statuses.join(', ')}`).optional(),
});

type Asked = z.output<typeof listSubscriptionsShape>['status'];

/** Without a status, canceled ones are left out, https://docs.stripe.com/api/subscriptions/list. */
function hasStatus({ status }: Subscription, asked: Asked): boolean {
  if (asked === 'all') return true;
  if (asked === undefined) return status !== 'canceled';
  if (asked === 'ended') return status === 'canceled' || status === 'incomplete_expired';
  return status === asked;
}

export function listSubscriptions(
  world: StripeWorld,
  given: z.output<typeof listSubscriptionsShape>,
): Subscription[] {
  const { customer, price, status } = given;
  // One that was deleted still has those it had, https://docs.stripe.com/api/customers/delete.
  if (customer && !world.isDeleted(customer)) world.require('customer', customer, 'customer');
  return world
    .all('subscription')
    .filter(
      (subscription) =>
        hasStatus(subscription, status) &&
        (!customer || subscription.customer === customer) &&
        (!price || subscription.items.data.some((item) => item.price.id === price)) &&
        isWithin(subscription.created, given.created),
    );
}
