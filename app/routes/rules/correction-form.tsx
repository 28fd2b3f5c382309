import type { SubmissionResult } from '@conform-to/dom';
import { Form } from 'react-router';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FieldError, type FieldFacts, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { useConditionLines } from '#app/components/rules/condition-lines.ts';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RuleState } from '#db/schema/rule.ts';
import type { RuleValues } from '#domain/rule/list-corrections.ts';
import { type ConditionField, conditionParts } from './conditions/condition-parts.ts';
import { tick } from './rule-conditions.tsx';
import { TypeSet } from './rule-form.tsx';

type Fields = Record<ConditionField | 'name' | 'type' | 'claimTimeoutHours' | 'pause', FieldFacts>;

/** A condition of the rule that is corrected: its controls, and what it was or what it would ask. */
function ConditionSet({
  part: [key, part],
  fields,
  was,
}: {
  part: (typeof conditionParts)[number];
  fields: Fields;
  was: string | undefined;
}) {
  const { t } = useTranslation();
  const { amount, column, Inputs, More } = part;
  const { errorId, errors } = fields[(amount?.field ?? column) as ConditionField];
  return (
    <>
      <div className="set">
        <label className="check">
          <input type="checkbox" name={key} defaultChecked={fields[key].initialValue === 'on'} />
          <span>
            <b>{t(`rules.form.${key}`)}</b>
            <br />
            <span className="s13 muted">
              {was === undefined ? t(`rules.form.${key}Text`) : t('correct.was', { value: was })}
            </span>
          </span>
        </label>
        <span onInput={tick}>
          <Inputs fields={fields} />
          <FieldError id={errorId} errors={errors} />
        </span>
      </div>
      {More && <More fields={fields} />}
    </>
  );
}

/** The conditions that a rule has and could have. Whether it asks for channel points stays as it is. */
function ConditionSets({ rule, fields }: { rule: RuleValues; fields: Fields }) {
  const { t } = useTranslation();
  const lines = useConditionLines(rule);
  const wasOf = (key: string) => {
    const line = lines.find((each) => each.key === key);
    return line?.hintInLists
      ? `${line.text}, ${line.note.charAt(0).toLowerCase()}${line.note.slice(1)}`
      : line?.text;
  };
  const forPoints = rule.pointsCost !== null;
  const shown = conditionParts.filter(([key]) => key !== 'points' || forPoints);
  return (
    <div className="stack stack-3">
      <div className="sheet rows">
        {shown.map((part) => (
          <ConditionSet key={part[0]} part={part} fields={fields} was={wasOf(part[0])} />
        ))}
      </div>
      <p className="s13 muted">{t(forPoints ? 'correct.pointsKept' : 'correct.untick')}</p>
    </div>
  );
}

/** The form of a correction: the rule's name, its kind of reward, its conditions and its time to claim. */
export function CorrectionForm({
  rule,
  isPromised,
  start,
  requestId,
  result,
}: {
  rule: RuleValues & { id: string; state: RuleState };
  /** True if a reward was promised: then a harder rule takes its place. */
  isPromised: boolean;
  start: Record<string, string>;
  requestId: string;
  result: SubmissionResult<string[]> | undefined;
}) {
  const { t } = useTranslation();
  const span = useSpanText();
  const [form, fields] = useForm<Fields>({ id: 'correction', lastResult: result, defaultValue: start });
  const claim = t('correct.was', { value: span(rule.claimTimeoutHours * 3600) });
  return (
    <Form method="post" {...form.props}>
      <FormErrors id={form.errorId} errors={form.errors} />
      <input type="hidden" name="requestId" value={requestId} />
      <div className="form-part">
        <div className="form-part__name">{t('rules.form.basics')}</div>
        <Field
          field={fields.name}
          label={t('rules.form.name')}
          hint={t('correct.was', { value: rule.name })}
        />
      </div>
      <TypeSet field={fields.type} conflict={false} />
      <fieldset className="form-part">
        <legend className="vh">{t('rules.conditions')}</legend>
        <div className="form-part__name" aria-hidden="true">
          {t('rules.conditions')}
        </div>
        <ConditionSets rule={rule} fields={fields} />
      </fieldset>
      <div className="form-part">
        <div className="form-part__name">{t('rules.form.claim')}</div>
        <Field
          field={fields.claimTimeoutHours}
          label={t('rules.form.claimHours')}
          hint={`${claim}. ${t(isPromised ? 'correct.claimHint' : 'correct.claimFree')}`}
          type="number"
          inputMode="numeric"
          unit={t('rules.form.hours')}
        />
      </div>
      {rule.state === 'open' && (
        <div className="form-part">
          <label className="choice">
            <input type="checkbox" name="pause" defaultChecked={fields.pause.initialValue === 'on'} />
            <span>
              <span className="strong">{t('correct.pause')}</span>
              <small>{t('correct.pauseText')}</small>
            </span>
          </label>
        </div>
      )}
      <div className="save">
        <SubmitButton size="large">{t('correct.review')}</SubmitButton>
        <ButtonLink kind="quiet" size="large" to={`/rules/${rule.id}`}>
          {t('correct.keep')}
        </ButtonLink>
      </div>
    </Form>
  );
}
