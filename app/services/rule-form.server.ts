import { z } from 'zod';
import { ruleTypes, type SubscriberTier, subscriberTiers } from '#db/schema/rule.ts';
import { type RuleDraft, ruleBounds } from '#domain/rule/create-rule.ts';
import { requiredText } from './form-fields.server.ts';

const range = ({ min, max }: { min: number; max: number }) =>
  `errors.field.range|${JSON.stringify({ min, max })}`;

const whole = (bounds: { min: number; max: number }) =>
  z
    .number({ error: 'errors.field.number' })
    .int('errors.field.number')
    .min(bounds.min, range(bounds))
    .max(bounds.max, range(bounds));

const tierNames = subscriberTiers.map(String) as [`${SubscriberTier}`, ...`${SubscriberTier}`[]];

const ruleShape = z.object({
  requestId: z.string().default(''),
  name: requiredText(ruleBounds.nameLength.max),
  type: z.enum(ruleTypes, { error: 'errors.field.choice' }).default('one'),
  /** Empty: the own channel. */
  channel: z
    .string()
    .regex(/^\d{0,20}$/, 'errors.field.choice')
    .default(''),
  follow: z.boolean().default(false),
  followDays: whole(ruleBounds.followDays).optional(),
  watch: z.boolean().default(false),
  watchAmount: whole(ruleBounds.watchMinutes).optional(),
  watchUnit: z.enum(['minutes', 'hours'], { error: 'errors.field.choice' }).default('hours'),
  watchScope: z.enum(['sinceRule', 'allTime'], { error: 'errors.field.choice' }).default('sinceRule'),
  subscriber: z.boolean().default(false),
  subscriberTier: z.enum(tierNames, { error: 'errors.field.choice' }).default('1'),
  points: z.boolean().default(false),
  pointsCost: whole(ruleBounds.pointsCost).optional(),
  claimTimeoutHours: whole(ruleBounds.claimTimeoutHours),
});

const minutesOf = (form: { watchAmount?: number | undefined; watchUnit: 'minutes' | 'hours' }) =>
  (form.watchAmount ?? 0) * (form.watchUnit === 'hours' ? 60 : 1);

/** The form of a new rule: of its conditions only those that are ticked count, and at least one has to be. */
export const RuleFormSchema = ruleShape.superRefine((form, issues) => {
  const fault = (path: string[], message: string) => issues.addIssue({ code: 'custom', path, message });
  if (!form.follow && !form.watch && !form.subscriber && !form.points) fault([], 'errors.rule.noCondition');
  if (form.follow && form.followDays === undefined) fault(['followDays'], 'errors.field.required');
  if (form.points && form.pointsCost === undefined) fault(['pointsCost'], 'errors.field.required');
  if (!form.watch) return;
  if (form.watchAmount === undefined) fault(['watchAmount'], 'errors.field.required');
  else if (minutesOf(form) > ruleBounds.watchMinutes.max)
    fault(['watchAmount'], range({ min: 1, max: ruleBounds.watchMinutes.max / 60 }));
});

/** What the bounds of each field are, for the browser's own checks. */
export const ruleFormShape = ruleShape;

/** The draft that a checked form means. */
export const draftOf = (form: z.output<typeof RuleFormSchema>): RuleDraft => ({
  name: form.name,
  type: form.type,
  subscriberTier: form.subscriber ? (Number(form.subscriberTier) as SubscriberTier) : null,
  pointsCost: form.points ? (form.pointsCost ?? null) : null,
  followDays: form.follow ? (form.followDays ?? null) : null,
  watchMinutes: form.watch ? minutesOf(form) : null,
  watchScope: form.watchScope,
  claimTimeoutHours: form.claimTimeoutHours,
});
