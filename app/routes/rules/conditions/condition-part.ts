import type { ReactNode } from 'react';
import type { FieldFacts } from '#app/components/forms/field.tsx';
import type { TextKey } from '#app/locales/translation.ts';
import type {
  AskedColumn,
  ConditionKey,
  ConditionOf,
  Conditions,
  OwnerFacts,
  RefusedElsewhere,
} from '#domain/rule/conditions/conditions.ts';

/** The options of each field with a fixed set of values; the first is the default. */
type Answers = Readonly<Record<string, readonly string[]>>;

type Entered<Taken extends Answers> = { amount: number | null } & {
  [Name in keyof Taken]: Taken[Name][number];
};

/** The rule's columns that belong to this condition. */
type AskedBy<Asks extends AskedColumn> = Pick<
  Conditions,
  keyof Extract<ConditionOf<ConditionKey>, { asks: Asks }>['columns'] & keyof Conditions
>;

/** One condition in the form of a rule, with a checkbox named by its key. */
export interface ConditionPart<
  Asks extends AskedColumn = AskedColumn,
  Field extends string = string,
  Taken extends Answers = Answers,
> {
  /** The column that is null unless the checkbox is checked. */
  asks: Asks;
  /** The field for the amount, and its initial value. */
  amount: { field: Field; start: string } | null;
  answers: Taken;
  asked(entered: Entered<Taken>): AskedBy<Asks>;
  /** The condition's controls, and what is shown below them. */
  Inputs(props: FieldsOf<Field, Taken>): ReactNode;
  More?(props: FieldsOf<Field, Taken>): ReactNode;
  /** What is added where the rule may be on another channel, and the refusal shown at this field. */
  elsewhere?: { text: TextKey; refusal: RefusedElsewhere };
  /** Only affiliates and partners have it: what is said where the channel is neither. */
  affiliatesOnly?: TextKey;
  /** What an empty pool means for such a rule, and what else the rule's page shows about it. */
  noRewards?: TextKey;
  Aside?(props: { rule: OwnerFacts }): ReactNode;
}

type FieldsOf<Field extends string, Taken extends Answers> = {
  fields: Record<Field | (keyof Taken & string), FieldFacts>;
};

/** Type-checks one part and keeps the types of its fields. */
export const conditionPart = <
  const Asks extends AskedColumn,
  const Taken extends Answers,
  const Field extends string = never,
>(
  part: ConditionPart<Asks, Field, Taken>,
): ConditionPart<Asks, Field, Taken> => part;
