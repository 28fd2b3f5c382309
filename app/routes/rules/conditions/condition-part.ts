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

/** The few answers that a field takes, by its name; the first stands at the start. */
type Answers = Readonly<Record<string, readonly string[]>>;

type Entered<Taken extends Answers> = { amount: number | null } & {
  [Name in keyof Taken]: Taken[Name][number];
};

/** All that a rule keeps of the condition that asks for this. */
type AskedBy<Asks extends AskedColumn> = Pick<
  Conditions,
  keyof Extract<ConditionOf<ConditionKey>, { asks: Asks }>['columns'] & keyof Conditions
>;

/** One condition in the form of a rule, which ticks it by its key. */
export interface ConditionPart<
  Asks extends AskedColumn = AskedColumn,
  Field extends string = string,
  Taken extends Answers = Answers,
> {
  /** What is null unless it is ticked. */
  asks: Asks;
  /** The field for how much of it is asked. */
  amount: { field: Field; start: string } | null;
  answers: Taken;
  asked(entered: Entered<Taken>): AskedBy<Asks>;
  /** The controls, and what stands below them. */
  Inputs(props: FieldsOf<Field, Taken>): ReactNode;
  More?(props: FieldsOf<Field, Taken>): ReactNode;
  /** What is added where the rule may be put on another channel, and the refusal that its field shows. */
  elsewhere?: { text: TextKey; refusal: RefusedElsewhere };
  /** What an empty pool means for such a rule, on its own page, and what else that page shows of it. */
  noRewards?: TextKey;
  Aside?(props: { rule: OwnerFacts }): ReactNode;
}

type FieldsOf<Field extends string, Taken extends Answers> = {
  fields: Record<Field | (keyof Taken & string), FieldFacts>;
};

/** Checks one part, and remembers its fields. */
export const conditionPart = <
  const Asks extends AskedColumn,
  const Taken extends Answers,
  const Field extends string = never,
>(
  part: ConditionPart<Asks, Field, Taken>,
): ConditionPart<Asks, Field, Taken> => part;
