import { z } from 'zod';
import { rangeText, requiredText } from '#app/services/forms/form-fields.server.ts';
import { ruleTypes } from '#db/schema/rule.ts';
import { conditionBounds, type RequiredColumn } from '#domain/condition/conditions.ts';
import { type RuleDraft, ruleBounds } from '#domain/rule/create-rule.ts';
import { askedBy, type ConditionField, conditionParts, type Entered } from './conditions/condition-parts.ts';

type Bounds = { min: number; max: number };

const whole = (bounds: Bounds) =>
  z
    .number({ error: 'errors.field.number' })
    .int('errors.field.number')
    .min(bounds.min, rangeText(bounds))
    .max(bounds.max, rangeText(bounds));

const boundsOf = (column: RequiredColumn): Bounds => conditionBounds[column as keyof typeof conditionBounds];

const conditionFields = conditionParts.flatMap(
  ([key, { column, amount, limit, answers }]): [string, z.ZodType][] => [
    [key, z.boolean().default(false)],
    ...(amount ? [[amount.field, whole(boundsOf(column)).optional()] as [string, z.ZodType]] : []),
    ...(limit ? [[limit.field, whole(conditionBounds[limit.column]).optional()] as [string, z.ZodType]] : []),
    ...Object.entries(answers).map(([field, all]): [string, z.ZodType] => [
      field,
      z.enum(all, { error: 'errors.field.choice' }).default(all[0] as string),
    ]),
  ],
);

type EnteredValue = boolean | number | string | undefined;

/** The fields of a new rule, with the bounds of each. */
export const ruleFormShape = z.object({
  requestId: z.string().default(''),
  name: requiredText(ruleBounds.nameLength.max),
  type: z.enum(ruleTypes, { error: 'errors.field.choice' }).default('one'),
  /** Empty: the own channel. */
  channel: z
    .string()
    .regex(/^\d{0,20}$/, 'errors.field.choice')
    .default(''),
  ...(Object.fromEntries(conditionFields) as Record<ConditionField, z.ZodType<EnteredValue>>),
  claimTimeoutHours: whole(ruleBounds.claimTimeoutHours),
});

type RuleForm = z.output<typeof ruleFormShape>;

const enteredIn =
  (form: RuleForm): Entered =>
  (name) =>
    form[name as ConditionField];

/** The form of a new rule: only checked conditions count, and at least one is required. */
export const RuleFormSchema = ruleFormShape.superRefine(checkConditions, { when: () => true });

function checkConditions(form: RuleForm, issues: z.core.$RefinementCtx<RuleForm>): void {
  const fault = (path: string[], message: string) => issues.addIssue({ code: 'custom', path, message });
  const entered = enteredIn(form);
  const asked = askedBy(entered);
  const ticked = conditionParts.filter(([key]) => entered(key));
  const unfilled = ticked.flatMap(([, { amount }]) =>
    amount && entered(amount.field) === undefined ? [amount.field] : [],
  );
  for (const field of unfilled) fault([field], 'errors.field.required');
  if (ticked.length === 0) fault([], 'errors.rule.noCondition');
  for (const [, { column, amount }] of ticked) {
    if (!amount) continue;
    const [value, needed] = [Number(entered(amount.field)), Number(asked[column])];
    const { min, max } = boundsOf(column);
    // The maximum in a larger unit is smaller.
    if (value <= max && needed > max)
      fault([amount.field], rangeText({ min, max: Math.floor((max * value) / needed) }));
  }
}

/** The draft in a validated form. */
export const draftOf = (form: RuleForm): RuleDraft => ({
  name: form.name,
  type: form.type,
  ...askedBy(enteredIn(form)),
  claimTimeoutHours: form.claimTimeoutHours,
});
