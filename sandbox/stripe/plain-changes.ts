import { z } from 'zod';
import { discountsShape, redeem } from './discounts.ts';
import { bool, mergeMetadata, metadata, text, whole } from './parameters.ts';
import { pauseOf, pauseShape } from './pauses.ts';
import { cancellationChanges } from './scheduled-cancellations.ts';
import type { Subscription } from './stored.ts';
import type { StripeWorld } from './world.ts';

/** Parameters that charge nothing by themselves. */
export const plainFields = {
  automatic_tax: z.strictObject({ enabled: bool }).optional(),
  cancellation_details: z.strictObject({ comment: text.optional(), feedback: text.optional() }).optional(),
  default_payment_method: text.optional(),
  description: text.optional(),
  discounts: discountsShape.optional(),
  metadata,
  pause_collection: pauseShape,
};

/** Parameters that may also come with a charge. */
export const endFields = {
  cancel_at: z.union([z.literal(''), z.enum(['max_period_end', 'min_period_end']), whole]).optional(),
  cancel_at_period_end: bool.optional(),
  trial_end: z.union([z.literal('now'), whole]).optional(),
};

const plainShape = z.strictObject({ ...plainFields, ...endFields });
type PlainChange = z.output<typeof plainShape>;

/** The fields that change without any charge. */
export function plainChanges(
  world: StripeWorld,
  subscription: Subscription,
  change: PlainChange,
): Partial<Subscription> {
  const method = change.default_payment_method;
  if (method) world.require('payment_method', method, 'default_payment_method');
  const details = change.cancellation_details;
  return {
    ...cancellationChanges(world, subscription, change),
    ...(method !== undefined && { default_payment_method: method || null }),
    ...(change.description !== undefined && { description: change.description || null }),
    ...(change.discounts && { discounts: redeem(world, subscription, change.discounts) }),
    ...(change.pause_collection !== undefined && {
      pause_collection: change.pause_collection && pauseOf(change.pause_collection),
    }),
    ...(change.automatic_tax && {
      automatic_tax: { ...subscription.automatic_tax, ...change.automatic_tax },
    }),
    ...(typeof change.trial_end === 'number' && { trial_end: change.trial_end }),
    ...(details && {
      cancellation_details: {
        comment: details.comment || null,
        feedback: (details.feedback as NonNullable<Subscription['cancellation_details']>['feedback']) || null,
        feedback_option: null,
        reason: subscription.cancellation_details?.reason ?? null,
      },
    }),
    metadata: mergeMetadata(subscription.metadata, change.metadata),
  };
}
