import { z } from 'zod';
import { isWithin } from './lists.ts';
import { createdRange, paging, text } from './parameters.ts';
import type { Charge } from './stored.ts';
import type { StripeWorld } from './world.ts';

export const listChargesShape = z.strictObject({
  ...paging,
  created: createdRange,
  customer: text.optional(),
  payment_intent: text.optional(),
});

/** Charges, failed ones too, https://docs.stripe.com/api/charges/list. */
export function listCharges(world: StripeWorld, given: z.output<typeof listChargesShape>): Charge[] {
  const { created, customer, payment_intent: intent } = given;
  return world
    .all('charge')
    .filter(
      (charge) =>
        (!customer || charge.customer === customer) &&
        (!intent || charge.payment_intent === intent) &&
        isWithin(charge.created, created),
    );
}
