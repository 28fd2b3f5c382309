import { z } from 'zod';
import { orUnset, whole } from './parameters.ts';
import type { Invoice, Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

const behaviors = ['keep_as_draft', 'mark_uncollectible', 'void'] as const;

export const pauseShape = orUnset(
  z.strictObject({ behavior: z.enum(behaviors), resumes_at: whole.optional() }),
).optional();

/** A pause of collection, which leaves the status as it is, https://docs.stripe.com/billing/subscriptions/pause-payment. */
export const pauseOf = (
  given: NonNullable<z.output<typeof pauseShape>>,
): Subscription['pause_collection'] => ({
  behavior: given.behavior,
  resumes_at: given.resumes_at ?? null,
});

/** The state of an invoice that is made while collection is paused; the same page has the three ways. */
export function holdInvoice(world: StripeWorld, { id, status_transitions }: Invoice, how: string): Invoice {
  const now = world.seconds();
  const stopped = { auto_advance: false, automatically_finalizes_at: null, next_payment_attempt: null };
  if (how === 'keep_as_draft') return world.update('invoice', id, stopped);
  const [status, since, event] =
    how === 'void'
      ? (['void', { voided_at: now }, 'invoice.voided'] as const)
      : (['uncollectible', { marked_uncollectible_at: now }, 'invoice.marked_uncollectible'] as const);
  const transitions = { ...status_transitions, finalized_at: now, ...since };
  return world.update('invoice', id, { ...stopped, status, status_transitions: transitions }, event);
}

/** The pause is over. */
export function resumeCollection(world: StripeWorld, id: string): void {
  world.update('subscription', id, { pause_collection: null }, 'customer.subscription.updated');
}
