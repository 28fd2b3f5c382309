import { z } from 'zod';
import { chargeStates } from '#billing/list-charges.ts';
import { billingPeriods, paidTiers, products, subscriptionStates, tiers } from '#db/schema/billing.ts';
import { defineResource } from './resource.ts';
import { count, moment, momentOrNull } from './shapes.ts';

const limit = count.nullable();

/** The fields that name a plan for sale. */
export const planFields = {
  product: z.enum(products),
  tier: z.enum(paidTiers),
  period: z.enum(billingPeriods),
};

export const plans = defineResource({
  type: 'plans',
  attributes: z.strictObject({
    product: z.enum(products),
    tier: z.enum(tiers),
    period: z.enum(billingPeriods),
    price: count,
    currency: z.string(),
    /** Percentage by which a year costs less than twelve months; 0 for plans by the month. */
    save_percentage: count,
    /** Limits of streamer premium; null on plans for viewers. */
    rules_limit: limit,
    monthly_rewards_limit: limit,
    other_channel_targeting: z.boolean().nullable(),
    /** Limits of viewer premium; null on plans for streamers, or unlimited on the plan of viewers that says so. */
    reward_claims_limit: limit,
    reward_claims_unlimited: z.boolean(),
    reward_notifications: z.boolean().nullable(),
  }),
});

export const checkouts = defineResource({
  type: 'checkouts',
  attributes: z.strictObject({ url: z.url() }),
});

export const billingPortals = defineResource({
  type: 'billing-portals',
  attributes: z.strictObject({ url: z.url() }),
});

export const planChanges = defineResource({
  type: 'plan-changes',
  attributes: z.strictObject({
    ...planFields,
    when: z.enum(['now', 'later']),
    starts_at: moment,
    /** The charge due now, in minor units; changePlan takes both values back. Null if nothing is charged now. */
    amount_due: z.int().nullable(),
    proration_date: z.int().nullable(),
    currency: z.string(),
    /** The price of a period afterwards, in minor units. */
    price: count,
  }),
});

export const subscriptions = defineResource({
  type: 'subscriptions',
  attributes: z.strictObject({
    product: z.enum(products),
    tier: z.enum(tiers),
    period: z.enum(billingPeriods).nullable(),
    state: z.enum([...subscriptionStates, 'free']),
    /** The price that you pay for a period, in minor units without tax; null without a subscription. */
    price: count.nullable(),
    currency: z.string().nullable(),
    /** The next charge, with discounts, credits and tax, and its time; null if none is known. */
    next_charge: count.nullable(),
    next_billing_at: momentOrNull,
    /** True if a direct debit is under way: the bank has not answered yet. */
    payment_under_way: z.boolean(),
    /** True if the operator has paused the payments; `paused_until` is null if the end is not known. */
    payments_paused: z.boolean(),
    paused_until: momentOrNull,
    trial_until: momentOrNull,
    grace_until: momentOrNull,
    ends_at: momentOrNull,
    /** A smaller plan that begins later. */
    next: z
      .strictObject({ ...planFields, starts_at: moment })
      .omit({ product: true })
      .nullable(),
    usage: z.array(
      z.strictObject({
        name: z.enum(['rules', 'monthly_rewards', 'reward_claims']),
        used: count,
        limit,
        /** Null if it does not reset. */
        resets_at: moment.nullable(),
      }),
    ),
  }),
});

export const charges = defineResource({
  type: 'charges',
  attributes: z.strictObject({
    charged_at: moment,
    /** With tax, after discounts; negative if it was credited to you. */
    amount: z.int(),
    refunded: count,
    currency: z.string(),
    /**
     * `underWay`: a direct debit that your bank has not answered yet. `due`: it will be charged, or waits for
     * you. `notCharged`: it will not be charged. `nothingDue`: a trial, or a discount or a credit paid for
     * all of it.
     */
    state: z.enum(chargeStates),
    bought: z.array(
      z.strictObject({
        /** Null for a charge that is not for a plan. */
        plan: z.strictObject(planFields).nullable(),
        description: z.string(),
        starts_at: moment,
        ends_at: moment,
        /** True if it is the rest of a period, after a change of plan. */
        rest_of_period: z.boolean(),
      }),
    ),
    /** The page of the invoice at Stripe, with its receipt. The link expires. */
    url: z.string().nullable(),
  }),
});
