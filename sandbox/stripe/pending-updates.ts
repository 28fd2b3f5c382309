import { voidInvoice } from './invoices.ts';
import type { Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

/**
 * Applies an update that waited for a payment, https://docs.stripe.com/billing/subscriptions/pending-updates.
 */
export function applyPendingUpdate(world: StripeWorld, subscription: Subscription): Subscription {
  const pending = subscription.pending_update;
  if (!pending) return subscription;
  const items = pending.subscription_items
    ? { items: { ...subscription.items, data: pending.subscription_items } }
    : {};
  const anchor =
    pending.billing_cycle_anchor === null ? {} : { billing_cycle_anchor: pending.billing_cycle_anchor };
  const applied = world.update(
    'subscription',
    subscription.id,
    { ...items, ...anchor, pending_update: null },
    'customer.subscription.updated',
  );
  world.emit('customer.subscription.pending_update_applied', applied);
  return applied;
}

/**
 * Discards an update that waited for a payment, and voids its invoice: after its time, and when another
 * update replaces it, https://docs.stripe.com/billing/subscriptions/pending-updates-reference.
 */
export function discardPendingUpdate(world: StripeWorld, id: string): void {
  const { pending_update: pending, latest_invoice: invoice } = world.require('subscription', id);
  if (!pending) return;
  if (invoice && world.require('invoice', invoice).status === 'open') voidInvoice(world, invoice);
  world.update('subscription', id, { pending_update: null }, 'customer.subscription.updated');
}
