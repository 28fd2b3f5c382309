import type { ReactNode } from 'react';
import type { FieldFacts } from '#app/components/forms/field.tsx';
import type { TextKey } from '#app/locales/translation.ts';
import type {
  ConditionKey,
  ConditionOf,
  Conditions,
  conditionBounds,
  Impossible,
  OwnerFacts,
  RefusedElsewhere,
  RequiredColumn,
} from '#domain/condition/conditions.ts';
import type { RuleRefusal } from '#domain/rule/create-rule.ts';

/** The options of each field with a fixed set of values; the first is the default. */
type Answers = Readonly<Record<string, readonly string[]>>;

type Entered<Taken extends Answers> = { amount: number | null; limit: number | null } & {
  [Name in keyof Taken]: Taken[Name][number];
};

/** The rule's columns that belong to this condition. */
type AskedBy<Column extends RequiredColumn> = Pick<
  Conditions,
  keyof Extract<ConditionOf<ConditionKey>, { column: Column }>['columns'] & keyof Conditions
>;

/** One condition in the form of a rule, with a checkbox named by its key. */
export interface ConditionPart<
  Column extends RequiredColumn = RequiredColumn,
  Field extends string = string,
  Taken extends Answers = Answers,
> {
  /** The column that is null unless the checkbox is checked. */
  column: Column;
  /** The field for the amount, and its initial value. */
  amount: { field: Field; start: string } | null;
  /** A second amount, which may be left empty. */
  limit?: { field: Field; column: keyof typeof conditionBounds };
  answers: Taken;
  asked(entered: Entered<Taken>): AskedBy<Column>;
  /** The condition's controls, and the content below them. */
  Inputs(props: FieldsOf<Field, Taken>): ReactNode;
  More?(props: FieldsOf<Field, Taken>): ReactNode;
  /** The text added if the rule may be on another channel, and the refusal shown at this field. */
  elsewhere?: { text: TextKey; refusal: RefusedElsewhere };
  /** The refusal for values that nobody can meet, shown at this field. */
  impossible?: Impossible;
  /** The refusal for a permission that it needs, shown at this field. */
  permissionMissing?: Extract<RuleRefusal, `${string}PermissionMissing`>;
  /** For conditions that only affiliates and partners have: the text shown if the channel is neither. */
  affiliatesOnly?: TextKey;
  /** Explains an empty pool for such a rule, and adds to the rule's page. */
  noRewards?: TextKey;
  Aside?(props: { rule: OwnerFacts }): ReactNode;
}

type FieldsOf<Field extends string, Taken extends Answers> = {
  fields: Record<Field | (keyof Taken & string), FieldFacts>;
};

/** Type-checks one part and keeps the types of its fields. */
export const conditionPart = <
  const Column extends RequiredColumn,
  const Taken extends Answers,
  const Field extends string = never,
>(
  part: ConditionPart<Column, Field, Taken>,
): ConditionPart<Column, Field, Taken> => part;
