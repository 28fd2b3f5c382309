import { z } from 'zod';
import type { AnswerShape } from '#platform/answers/odd-answer.ts';

// The expected shapes of Stripe's objects, as far as plans are decided by them. The package's types promise them and
// check nothing.

const seconds = z.number();
const maybeSeconds = z.number().nullable();

/** https://docs.stripe.com/api/subscriptions/object */
export const subscriptionShape: AnswerShape = {
  platform: 'stripe',
  place: 'subscription',
  schema: z.object({
    status: z.literal([
      'incomplete',
      'incomplete_expired',
      'trialing',
      'active',
      'past_due',
      'canceled',
      'unpaid',
      'paused',
    ]),
    currency: z.string(),
    cancel_at: maybeSeconds,
    cancel_at_period_end: z.boolean(),
    ended_at: maybeSeconds,
    trial_end: maybeSeconds,
    items: z.object({
      data: z.array(z.object({ current_period_start: seconds, current_period_end: seconds })),
    }),
  }),
  reaction: 'readAsIs',
  newValues: { status: 'unknown' },
  source: 'https://docs.stripe.com/api/subscriptions/object',
};

/** https://docs.stripe.com/api/invoices/object */
export const invoiceShape: AnswerShape = {
  platform: 'stripe',
  place: 'invoice',
  schema: z.object({
    status: z.literal(['draft', 'open', 'paid', 'uncollectible', 'void']).nullable(),
    created: seconds,
    total: z.number(),
    amount_paid: z.number(),
  }),
  reaction: 'readAsIs',
  newValues: { status: 'pending' },
  source: 'https://docs.stripe.com/api/invoices/object',
};

/** The shapes of Stripe's objects. */
export const stripeShapes: readonly AnswerShape[] = [subscriptionShape, invoiceShape];
