import { type FormEvent, Fragment } from 'react';
import { FieldError, type FieldFacts } from '#app/components/forms/field.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { type ConditionField, conditionParts } from './conditions/condition-parts.ts';

export type ConditionFields = Record<ConditionField, FieldFacts>;

/** Ticks the condition whose amount is typed. */
export function tick({ currentTarget }: FormEvent<HTMLElement>) {
  const box = currentTarget.closest('.set')?.querySelector<HTMLInputElement>('[type=checkbox]');
  if (box && !box.checked) box.click();
}

/** The conditions of a new rule, each with its amount. */
export function RuleConditionFields({
  fields,
  othersToo,
  isPlain,
}: {
  fields: ConditionFields;
  /** True if the rule may be on another channel. */
  othersToo: boolean;
  /** True if the chosen channel is neither affiliate nor partner. */
  isPlain: boolean;
}) {
  const { t } = useTranslation();
  return (
    <div className="sheet rows">
      {conditionParts.map(([key, { amount, column, elsewhere, affiliatesOnly, Inputs, More }]) => {
        const { errorId, errors } = fields[(amount?.field ?? column) as ConditionField];
        return (
          <Fragment key={key}>
            <div className="set">
              <label className="check">
                <input type="checkbox" name={key} defaultChecked={fields[key].initialValue === 'on'} />
                <span>
                  <b>{t(`rules.form.${key}`)}</b>
                  <br />
                  <span className="s13 muted">
                    {t(`rules.form.${key}Text`)}
                    {othersToo && elsewhere && ` ${t(elsewhere.text)}`}
                  </span>
                </span>
              </label>
              <span onInput={tick}>
                <Inputs fields={fields} />
                <FieldError id={errorId} errors={errors} />
              </span>
            </div>
            {isPlain && affiliatesOnly && (
              <p className="sheet__pad s13" role="status">
                {t(affiliatesOnly)}
              </p>
            )}
            {More && <More fields={fields} />}
          </Fragment>
        );
      })}
    </div>
  );
}
