import type { MouseEvent } from 'react';
import { Callout } from '#app/components/feedback/callout.tsx';
import { useHydrated } from '#app/components/feedback/confirm.tsx';
import { Button } from '#app/components/forms/button.tsx';
import { Choice } from '#app/components/forms/choices.tsx';
import {
  controlProps,
  Field,
  FieldError,
  type FieldFacts,
  FieldFrame,
} from '#app/components/forms/field.tsx';
import { ConditionList } from '#app/components/rules/rule-words.tsx';
import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RuleType } from '#db/schema/rule.ts';
import type { AskedColumn, Conditions } from '#domain/rule/conditions/conditions.ts';
import { hasNoConditions } from '#domain/rule/no-conditions.ts';
import { isPaidDraw } from '#domain/rule/paid-draw.ts';
import { amountIn, askedBy, askedColumns } from './conditions/condition-parts.ts';
import { textOf } from './conditions/inputs.tsx';
import { type ConditionFields, RuleConditionFields } from './rule-conditions.tsx';

type Fields = ConditionFields & Record<'name' | 'type' | 'channel' | 'claimTimeoutHours', FieldFacts>;

/** On which channels somebody may open a rule (an empty own one: not there), what of a rule is paid for, and whether chances may be. */
export type RulePlaces = {
  ownChannel: string;
  others: readonly { id: string; displayName: string }[];
  paid: readonly AskedColumn[];
  paidDraws: boolean;
};

function ChannelField({ field, places }: { field: FieldFacts; places: RulePlaces }) {
  const { t } = useTranslation();
  const { ownChannel, others } = places;
  if (others.length === 0)
    return ownChannel === '' ? null : (
      <p className="s13 muted">{t('rules.form.channel', { channel: ownChannel })}</p>
    );
  return (
    <FieldFrame field={field} label={t('rules.form.channelName')} hint={t('rules.form.channelHint')}>
      <select className="select" defaultValue={textOf(field.initialValue)} {...selectProps(field)}>
        {ownChannel !== '' && <option value="">{t('rules.form.ownChannel', { channel: ownChannel })}</option>}
        {others.map(({ id, displayName }) => (
          <option key={id} value={id}>
            {displayName}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}

/** What of a control's attributes a list of answers has. */
function selectProps(field: FieldFacts) {
  const {
    min: _min,
    max: _max,
    minLength: _least,
    maxLength: _maxLength,
    pattern: _pattern,
    ...props
  } = controlProps(field, true);
  return props;
}

/** Chooses another answer as a click on it would. */
function choose(event: MouseEvent<HTMLButtonElement>, value: RuleType): void {
  event.currentTarget.form?.querySelector<HTMLInputElement>(`[name="type"][value="${value}"]`)?.click();
}

/** Stands where a random reward is behind a paid condition. Where that is refused, a button repairs it. */
function PaidChance({ allowed }: { allowed: boolean }) {
  const { t } = useTranslation();
  const hydrated = useHydrated();
  const guard = allowed ? 'guardOff' : 'guard';
  return (
    <Callout type={allowed ? 'plain' : 'warning'} title={t(`rules.form.${guard}Title`)}>
      <p>{t(`rules.form.${guard}`)}</p>
      {hydrated && !allowed && (
        <Button type="button" size="small" className="mt-2" onClick={(event) => choose(event, 'one')}>
          {t('rules.form.guardRepair')}
        </Button>
      )}
    </Callout>
  );
}

function TypeSet({
  field,
  preview,
  places,
}: {
  field: FieldFacts;
  preview: RulePreview;
  places: RulePlaces;
}) {
  const { t } = useTranslation();
  return (
    <div className="form-part">
      <div className="form-part__name" aria-hidden="true">
        {t('rules.form.type')}
      </div>
      <div className="stack">
        <fieldset className="grid-2" aria-describedby={field.errors?.length ? field.errorId : undefined}>
          <legend className="vh">{t('rules.form.type')}</legend>
          {(['one', 'random'] as const).map((type) => (
            <Choice
              key={type}
              name={field.name}
              value={type}
              defaultChecked={(textOf(field.initialValue) ?? 'one') === type}
              title={t(`rules.type.${type}`)}
            >
              {t(`rules.form.${type}Text`)}
            </Choice>
          ))}
        </fieldset>
        <FieldError id={field.errorId} errors={field.errors} />
        {isPaidDraw(preview, places.paid) && <PaidChance allowed={places.paidDraws} />}
      </div>
    </div>
  );
}

type RuleFieldsProps = { fields: Fields; places: RulePlaces; preview: RulePreview };

/** The fields of a new rule, in four parts. */
export function RuleFields({ fields, places, preview }: RuleFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className="form-part">
        <div className="form-part__name">{t('rules.form.basics')}</div>
        <div className="stack">
          <Field field={fields.name} label={t('rules.form.name')} hint={t('rules.form.nameHint')} />
          <ChannelField field={fields.channel} places={places} />
        </div>
      </div>
      <fieldset className="form-part">
        <legend className="vh">{t('rules.conditions')}</legend>
        <div>
          <div className="form-part__name" aria-hidden="true">
            {t('rules.conditions')}
          </div>
          <p className="s13 muted">{t('rules.form.allMustHold')}</p>
        </div>
        <RuleConditionFields fields={fields} othersToo={places.others.length > 0} />
      </fieldset>
      <TypeSet field={fields.type} preview={preview} places={places} />
      <div className="form-part">
        <div className="form-part__name">{t('rules.form.claim')}</div>
        <Field
          field={fields.claimTimeoutHours}
          label={t('rules.form.claimHours')}
          hint={t('rules.form.claimHint')}
          type="number"
          inputMode="numeric"
          unit={t('rules.form.hours')}
        />
      </div>
    </>
  );
}

export type RulePreview = Conditions & { type: RuleType; claimTimeoutHours: number };

/** What a form that is being filled in would ask; what cannot be read yet counts as not asked. */
export const previewOf = (form: FormData): RulePreview => ({
  type: form.get('type') === 'random' ? 'random' : 'one',
  ...askedBy((name) => form.get(name)),
  claimTimeoutHours: amountIn(form.get('claimTimeoutHours')) ?? 0,
});

/** What a rule asks of a viewer, in words. */
export function PreviewSheet({ preview }: { preview: RulePreview }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const asks = !hasNoConditions(preview, askedColumns);
  return (
    <section className="sheet" aria-live="polite">
      <div className="sheet__head">
        <h2>{t('rules.preview.title')}</h2>
      </div>
      <div className="sheet__pad stack stack-3">
        <p className="muted">{asks ? t('rules.preview.asks') : t('rules.preview.nothing')}</p>
        <ConditionList rule={preview} />
        {asks && preview.claimTimeoutHours > 0 && (
          <p className="muted">
            {t('rules.preview.claimTime', { span: span(preview.claimTimeoutHours * 3600) })}
          </p>
        )}
        <p className="s13 faint">{t(`rules.preview.${preview.type}Rewards`)}</p>
      </div>
    </section>
  );
}
