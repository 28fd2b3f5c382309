import type { ConditionKey, ConditionOf, Conditions } from '#domain/condition/conditions.ts';
import type { RuleRefusal } from '#domain/rule/create-rule.ts';
import { attendedStreams } from './attended-streams.tsx';
import { channelPoints } from './channel-points.tsx';
import type { ConditionPart } from './condition-part.ts';
import { followTime } from './follow-time.tsx';
import { subscription } from './subscription.tsx';
import { watchTime } from './watch-time.tsx';

/** The conditions in the form of a rule, in the form's order. */
const parts = {
  watch: watchTime,
  streams: attendedStreams,
  follow: followTime,
  subscriber: subscription,
  points: channelPoints,
} satisfies { [Key in ConditionKey]: { column: ConditionOf<Key>['column'] } };

type Parts = typeof parts;
type FieldOf<Part extends Parts[ConditionKey]> =
  | NonNullable<Part['amount']>['field']
  | NonNullable<Part['limit']>['field']
  | (keyof Part['answers'] & string);

/** The fields of all conditions, and their checkboxes. */
export type ConditionField = ConditionKey | { [Key in ConditionKey]: FieldOf<Parts[Key]> }[ConditionKey];

export const conditionParts = Object.entries(parts) as [ConditionKey, ConditionPart][];

export const requiredColumns = conditionParts.map(([, { column }]) => column);

/** The initial values of a new rule: no condition is checked. */
export const conditionStart = Object.fromEntries(
  conditionParts.flatMap(([key, { amount, limit, answers }]) => [
    [key, ''],
    ...(amount ? [[amount.field, amount.start]] : []),
    ...(limit ? [[limit.field, '']] : []),
    ...Object.entries(answers).map(([field, [first]]) => [field, first]),
  ]),
) as Record<ConditionField, string>;

/** The field at which a refusal is shown. */
export const refusedFields: Partial<Record<RuleRefusal, ConditionField>> = Object.fromEntries(
  conditionParts.flatMap(([, { amount, elsewhere, impossible, permissionMissing }]) =>
    [elsewhere?.refusal, impossible, permissionMissing].flatMap((refusal) =>
      amount && refusal ? [[refusal, amount.field]] : [],
    ),
  ),
);

/** A field's text in a form. */
export type Entered = (name: string) => unknown;

/** An entered amount; null if it is not a number. */
export function amountIn(value: unknown): number | null {
  const amount = Number(value);
  return Number.isSafeInteger(amount) && amount > 0 ? amount : null;
}

/** Reads the conditions from a form: unchecked or unreadable ones count as not asked. */
export const askedBy = (entered: Entered): Conditions =>
  Object.assign(
    {},
    ...conditionParts.map(([key, { column, amount, limit, answers, asked }]) => ({
      ...asked({
        ...Object.fromEntries(
          Object.entries(answers).map(([field, all]) => [
            field,
            all.find((answer) => answer === entered(field)) ?? all[0],
          ]),
        ),
        amount: amountIn(amount && entered(amount.field)),
        limit: amountIn(limit && entered(limit.field)),
      } as Parameters<typeof asked>[0]),
      ...(entered(key) ? {} : { [column]: null, ...(limit && { [limit.column]: null }) }),
    })),
  );
