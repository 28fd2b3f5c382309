import { z } from 'zod';
import { type RuleDraft, ruleBounds } from '#domain/rule/create-rule.ts';
import { requiredText } from './form-fields.server.ts';

const range = ({ least, most }: { least: number; most: number }) =>
  `errors.field.range|${JSON.stringify({ min: least, max: most })}`;

const whole = (bounds: { least: number; most: number }) =>
  z
    .number({ error: 'errors.field.number' })
    .int('errors.field.number')
    .min(bounds.least, range(bounds))
    .max(bounds.most, range(bounds));

const ruleShape = z.object({
  requestId: z.string().default(''),
  name: requiredText(ruleBounds.nameLength.most),
  follow: z.boolean().default(false),
  followDays: whole(ruleBounds.followDays).optional(),
  watch: z.boolean().default(false),
  watchAmount: whole(ruleBounds.watchMinutes).optional(),
  watchUnit: z.enum(['minutes', 'hours'], { error: 'errors.field.choice' }).default('hours'),
  watchScope: z.enum(['sinceRule', 'allTime'], { error: 'errors.field.choice' }).default('sinceRule'),
  claimTimeoutHours: whole(ruleBounds.claimTimeoutHours),
});

const minutesOf = (form: { watchAmount?: number | undefined; watchUnit: 'minutes' | 'hours' }) =>
  (form.watchAmount ?? 0) * (form.watchUnit === 'hours' ? 60 : 1);

/** The form of a new rule: of its conditions only those that are ticked count, and at least one has to be. */
export const RuleFormSchema = ruleShape.superRefine((form, issues) => {
  const fault = (path: string[], message: string) => issues.addIssue({ code: 'custom', path, message });
  if (!form.follow && !form.watch) fault([], 'errors.rule.noCondition');
  if (form.follow && form.followDays === undefined) fault(['followDays'], 'errors.field.required');
  if (!form.watch) return;
  if (form.watchAmount === undefined) fault(['watchAmount'], 'errors.field.required');
  else if (minutesOf(form) > ruleBounds.watchMinutes.most)
    fault(['watchAmount'], range({ least: 1, most: ruleBounds.watchMinutes.most / 60 }));
});

/** What the bounds of each field are, for the browser's own checks. */
export const ruleFormShape = ruleShape;

/** The draft that a checked form means. */
export const draftOf = (form: z.output<typeof RuleFormSchema>): RuleDraft => ({
  name: form.name,
  type: 'one',
  subscriberTier: null,
  pointsCost: null,
  followDays: form.follow ? (form.followDays ?? null) : null,
  watchMinutes: form.watch ? minutesOf(form) : null,
  watchScope: form.watchScope,
  claimTimeoutHours: form.claimTimeoutHours,
});
