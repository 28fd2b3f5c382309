import { z } from 'zod';
import { billingPeriods, paidTiers, products } from '#db/schema/billing.ts';
import type { Plan } from '#domain/plan/plans.ts';

const PlanSchema = z.object({
  product: z.enum(products),
  tier: z.enum(paidTiers),
  period: z.enum(billingPeriods),
});

/** The plan that a form or an address names, or null. */
export function planFrom(fields: FormData | URLSearchParams): Plan | null {
  const parsed = PlanSchema.safeParse(Object.fromEntries(fields));
  return parsed.success ? parsed.data : null;
}

/** The product that a form or an address names, or null. */
export function productFrom(fields: FormData | URLSearchParams) {
  return products.find((each) => each === fields.get('product')) ?? null;
}
