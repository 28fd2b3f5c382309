import { z } from 'zod';
import { subscriberTiers, watchScopes } from '#db/schema/rule.ts';
import { merged } from '#domain/merged.ts';
import {
  type ConditionKey,
  type ConditionProgress,
  type Conditions,
  conditionBounds,
  conditionColumns,
} from '#domain/rule/conditions/conditions.ts';
import { type CallerFacts, callerName, presentFacts } from './caller-names.ts';

const { followDays, watchMinutes, pointsCost } = conditionBounds;
const upTo = ({ min, max }: { min: number; max: number }) =>
  z.int().min(min).max(max).nullable().default(null);
const count = z.int().min(0);
const perhaps = z.iso.datetime().nullable();
const met = z.boolean();
/** Twitch's tiers 1000, 2000 and 3000. */
const tier = z.literal(subscriberTiers);

/** What a rule tells of each condition, what a draft may ask by it, and how far a viewer is with it. */
const fields = {
  watch: {
    rule: { watch_minutes: z.int().nullable(), watch_scope: z.enum(watchScopes) },
    draft: { watch_minutes: upTo(watchMinutes), watch_scope: z.enum(watchScopes).default('sinceRule') },
    progress: z.strictObject({ have_seconds: count, need_seconds: count, met }),
  },
  follow: {
    rule: { follow_days: z.int().nullable() },
    draft: { follow_days: upTo(followDays) },
    progress: z.strictObject({ have_days: count, need_days: count, since: perhaps, met_at: perhaps, met }),
  },
  subscriber: {
    rule: { subscriber_tier: tier.nullable() },
    draft: { subscriber_tier: tier.nullable().default(null) },
    progress: z.strictObject({ have_tier: tier.nullable(), need_tier: tier, met }),
  },
  points: {
    rule: { points_cost: z.int().nullable() },
    draft: { points_cost: upTo(pointsCost) },
    progress: z.strictObject({ cost: count, redeemed_at: perhaps, met }),
  },
} satisfies {
  [Key in ConditionKey]: {
    rule: z.ZodRawShape;
    draft: z.ZodRawShape;
    progress: z.ZodType<CallerFacts<NonNullable<ConditionProgress[Key]>>>;
  };
};

const each = Object.values(fields);

export const ruleFields = merged(each.map(({ rule }) => rule));
export const draftFields = merged(each.map(({ draft }) => draft));
export const progressFields = Object.fromEntries(
  Object.entries(fields).map(([key, { progress }]) => [key, progress.nullable()]),
) as { [Key in ConditionKey]: z.ZodNullable<(typeof fields)[Key]['progress']> };

const columns = Object.keys(conditionColumns) as (keyof Conditions)[];

/** What a caller's draft asks. */
export const askedBy = (draft: CallerFacts<Conditions>): Conditions =>
  Object.fromEntries(
    columns.map((column) => [column, draft[callerName(column) as keyof typeof draft]]),
  ) as Conditions;

/** What a rule asks, as callers are told. */
export const presentAsked = (rule: Conditions): CallerFacts<Conditions> =>
  Object.fromEntries(columns.map((column) => [callerName(column), rule[column]])) as CallerFacts<Conditions>;

type PresentedProgress = {
  [Key in ConditionKey]: CallerFacts<NonNullable<ConditionProgress[Key]>> | null;
};

/** How far a viewer is with each condition, as callers are told. */
export const presentProgress = ({ met: _, ...progress }: ConditionProgress): PresentedProgress =>
  Object.fromEntries(
    Object.entries(progress).map(([key, reached]) => [key, reached && presentFacts(reached)]),
  ) as PresentedProgress;
