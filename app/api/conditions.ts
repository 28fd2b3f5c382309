import { z } from 'zod';
import { boundedInt } from '#app/services/forms/form-fields.server.ts';
import { customRewardFaults, customRewardStates } from '#db/schema/redemption.ts';
import { subscriberTiers, watchScopes } from '#db/schema/rule.ts';
import {
  type ConditionKey,
  type ConditionProgress,
  type Conditions,
  conditionBounds,
  conditionColumns,
  type OwnerFacts,
} from '#domain/condition/conditions.ts';
import { merged } from '#domain/kernel/merged.ts';
import { type CallerFacts, callerName, presentFacts } from './caller-names.ts';
import { count, momentOrNull } from './shapes.ts';

const { followDays, watchMinutes, attendedStreams, ofLastStreams, pointsCost } = conditionBounds;
const upTo = (bounds: { min: number; max: number }) => boundedInt(bounds).nullable().default(null);
const met = z.boolean();
/** Twitch's tiers 1000, 2000 and 3000. */
const tier = z.literal(subscriberTiers);

const nothing = {};
const noFacts = () => nothing;

/**
 * For each condition: the fields of a rule, of a draft, those that only the rule's owner sees, a viewer's
 * progress, and the rule's fields that are repeated beside the progress.
 */
const fields = {
  watch: {
    rule: { watch_minutes: z.int().nullable(), watch_scope: z.enum(watchScopes) },
    draft: { watch_minutes: upTo(watchMinutes), watch_scope: z.enum(watchScopes).default('sinceRule') },
    owner: nothing,
    presentOwner: noFacts,
    progress: z.strictObject({ have_seconds: count, need_seconds: count, met }),
    besideProgress: { watch_scope: z.enum(watchScopes) },
  },
  streams: {
    rule: { attended_streams: z.int().nullable(), of_last_streams: z.int().nullable() },
    draft: { attended_streams: upTo(attendedStreams), of_last_streams: upTo(ofLastStreams) },
    owner: nothing,
    presentOwner: noFacts,
    progress: z.strictObject({
      have_streams: count,
      need_streams: count,
      of_last_streams: count.nullable(),
      met,
    }),
    besideProgress: nothing,
  },
  follow: {
    rule: { follow_days: z.int().nullable() },
    draft: { follow_days: upTo(followDays) },
    owner: nothing,
    presentOwner: noFacts,
    progress: z.strictObject({
      have_days: count,
      need_days: count,
      since: momentOrNull,
      met_at: momentOrNull,
      met,
    }),
    besideProgress: nothing,
  },
  subscriber: {
    rule: { subscriber_tier: tier.nullable() },
    draft: { subscriber_tier: tier.nullable().default(null) },
    owner: nothing,
    presentOwner: noFacts,
    progress: z.strictObject({ have_tier: tier.nullable(), need_tier: tier, met }),
    besideProgress: nothing,
  },
  points: {
    rule: { points_cost: z.int().nullable() },
    draft: { points_cost: upTo(pointsCost) },
    owner: {
      custom_reward: z
        .strictObject({ state: z.enum(customRewardStates), fault: z.enum(customRewardFaults).nullable() })
        .nullable(),
    },
    presentOwner: ({ customRewardState: state, customRewardFault: fault }: OwnerFacts) => ({
      custom_reward: state && { state, fault },
    }),
    progress: z.strictObject({ cost: count, redeemed_at: momentOrNull, refused: z.boolean(), met }),
    besideProgress: nothing,
  },
} satisfies {
  [Key in ConditionKey]: {
    rule: z.ZodRawShape;
    draft: z.ZodRawShape;
    owner: z.ZodRawShape;
    presentOwner: (facts: OwnerFacts) => object;
    progress: z.ZodType<CallerFacts<NonNullable<ConditionProgress[Key]>>>;
    besideProgress: z.ZodRawShape;
  };
};

const each = Object.values(fields);

export const ruleFields = merged(each.map(({ rule }) => rule));
export const draftFields = merged(each.map(({ draft }) => draft));

/** The fields of a draft without what they are if left out. */
export const changedFields = Object.fromEntries(
  Object.entries(draftFields).map(([name, field]) => [name, field.unwrap().optional()]),
) as {
  [Name in keyof typeof draftFields]: z.ZodOptional<ReturnType<(typeof draftFields)[Name]['unwrap']>>;
};
export const ownerFields = merged(each.map(({ owner }) => owner));
const besideProgress = merged(each.map((condition) => condition.besideProgress));
export const progressFields = {
  ...besideProgress,
  ...(Object.fromEntries(Object.entries(fields).map(([key, { progress }]) => [key, progress.nullable()])) as {
    [Key in ConditionKey]: z.ZodNullable<(typeof fields)[Key]['progress']>;
  }),
};

const columns = Object.keys(conditionColumns) as (keyof Conditions)[];

/** The conditions of a draft sent by a caller. */
export const askedBy = (draft: CallerFacts<Conditions>): Conditions =>
  Object.fromEntries(
    columns.map((column) => [column, draft[callerName(column) as keyof typeof draft]]),
  ) as Conditions;

/** A rule's conditions under their names in the API. */
export const presentAsked = (rule: Conditions): CallerFacts<Conditions> =>
  Object.fromEntries(columns.map((column) => [callerName(column), rule[column]])) as CallerFacts<Conditions>;

/** Presents the facts that only a rule's owner sees about its conditions. */
export const presentOwnerFacts = (facts: OwnerFacts) =>
  Object.assign({}, ...each.map(({ presentOwner }) => presentOwner(facts))) as z.output<
    z.ZodObject<typeof ownerFields>
  >;

type PresentedProgress = {
  [Key in ConditionKey]: CallerFacts<NonNullable<ConditionProgress[Key]>> | null;
} & Pick<CallerFacts<Conditions>, keyof typeof besideProgress>;

/** Presents a viewer's progress on each condition of a rule, under its name in the API. */
export function presentProgress(
  asked: Conditions,
  { met: _, ...progress }: ConditionProgress,
): PresentedProgress {
  const shown = Object.entries(presentAsked(asked)).filter(([name]) => name in besideProgress);
  const reached = Object.entries(progress).map(([key, each]) => [key, each && presentFacts(each)]);
  return Object.fromEntries([...shown, ...reached]) as PresentedProgress;
}
