import type { ReactNode } from 'react';
import { Choice } from '#app/components/forms/choices.tsx';
import { controlProps, FieldError, type FieldFacts } from '#app/components/forms/field.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The fields of the conditions of a new rule. */
export type ConditionFields = Record<
  | 'follow'
  | 'followDays'
  | 'watch'
  | 'watchAmount'
  | 'watchUnit'
  | 'watchScope'
  | 'subscriber'
  | 'subscriberTier'
  | 'points'
  | 'pointsCost',
  FieldFacts
>;

export const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

function Amount({ field, label, unit }: { field: FieldFacts; label: string; unit: string }) {
  return (
    <span className="input-unit">
      <input
        {...controlProps(field, false)}
        required={false}
        className="input input--short input--num"
        type="number"
        inputMode="numeric"
        defaultValue={textOf(field.initialValue)}
        aria-label={label}
      />
      {unit}
    </span>
  );
}

type Answer = readonly [value: string, text: string];

function Answers({
  field,
  label,
  answers,
}: {
  field: FieldFacts;
  label: string;
  answers: readonly Answer[];
}) {
  return (
    <select
      className="select select--auto"
      name={field.name}
      defaultValue={textOf(field.initialValue)}
      aria-label={label}
    >
      {answers.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

type SetProps = {
  tick: FieldFacts;
  name: string;
  text: ReactNode;
  errorOf?: FieldFacts;
  children: ReactNode;
};

/** One condition: whether it is asked, and how much of it. */
function ConditionSet({ tick, name, text, errorOf, children }: SetProps) {
  return (
    <div className="set">
      <label className="check">
        <input type="checkbox" name={tick.name} defaultChecked={tick.initialValue === 'on'} />
        <span>
          <b>{name}</b>
          <br />
          <span className="s13 muted">{text}</span>
        </span>
      </label>
      <span>
        {children}
        {errorOf && <FieldError id={errorOf.errorId} errors={errorOf.errors} />}
      </span>
    </div>
  );
}

function WatchSet({ fields }: { fields: ConditionFields }) {
  const { t } = useTranslation();
  return (
    <ConditionSet
      tick={fields.watch}
      name={t('rules.form.watch')}
      text={t('rules.form.watchText')}
      errorOf={fields.watchAmount}
    >
      <span className="line line-tight line-nowrap">
        <Amount field={fields.watchAmount} label={t('rules.form.watchAmount')} unit="" />
        <Answers
          field={fields.watchUnit}
          label={t('rules.form.watchUnit')}
          answers={[
            ['hours', t('rules.form.hours')],
            ['minutes', t('rules.form.minutes')],
          ]}
        />
      </span>
    </ConditionSet>
  );
}

function ScopeSet({ field }: { field: FieldFacts }) {
  const { t } = useTranslation();
  return (
    <div className="sheet__pad">
      <fieldset className="grid-2">
        <legend className="field__label">{t('rules.form.scope')}</legend>
        {(['sinceRule', 'allTime'] as const).map((scope) => (
          <Choice
            key={scope}
            name={field.name}
            value={scope}
            defaultChecked={(textOf(field.initialValue) ?? 'sinceRule') === scope}
            title={t(`rules.form.${scope}`)}
          >
            {t(`rules.form.${scope}Text`)}
          </Choice>
        ))}
      </fieldset>
    </div>
  );
}

/** What may be asked of a viewer, each with its amount. */
export function RuleConditionFields({
  fields,
  othersToo,
}: {
  fields: ConditionFields;
  /** The rule may also be put on another channel, where there are no points. */
  othersToo: boolean;
}) {
  const { t } = useTranslation();
  const tiers = ['1', '2', '3'] as const;
  return (
    <div className="sheet rows">
      <WatchSet fields={fields} />
      <ScopeSet field={fields.watchScope} />
      <ConditionSet
        tick={fields.follow}
        name={t('rules.form.follow')}
        text={t('rules.form.followText')}
        errorOf={fields.followDays}
      >
        <Amount field={fields.followDays} label={t('rules.form.followDays')} unit={t('rules.form.days')} />
      </ConditionSet>
      <ConditionSet
        tick={fields.subscriber}
        name={t('rules.form.subscriber')}
        text={t('rules.form.subscriberText')}
        errorOf={fields.subscriberTier}
      >
        <Answers
          field={fields.subscriberTier}
          label={t('rules.form.subscriberTier')}
          answers={tiers.map((tier) => [tier, t(`rules.form.tier${tier}`)])}
        />
      </ConditionSet>
      <ConditionSet
        tick={fields.points}
        name={t('rules.form.points')}
        text={
          <>
            {t('rules.form.pointsText')}
            {othersToo && ` ${t('rules.form.pointsOwnOnly')}`}
          </>
        }
        errorOf={fields.pointsCost}
      >
        <Amount
          field={fields.pointsCost}
          label={t('rules.form.pointsCost')}
          unit={t('rules.form.pointsUnit')}
        />
      </ConditionSet>
    </div>
  );
}
