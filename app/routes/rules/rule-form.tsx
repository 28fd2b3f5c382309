import type { MouseEvent, ReactNode } from 'react';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Button } from '#app/components/forms/button.tsx';
import { Choice } from '#app/components/forms/choices.tsx';
import {
  controlProps,
  Field,
  FieldError,
  type FieldFacts,
  FieldFrame,
} from '#app/components/forms/field.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RuleType } from '#db/schema/rule.ts';
import type { Conditions, RequiredColumn } from '#domain/condition/conditions.ts';
import { isPaidDraw } from '#domain/rule/paid-draw.ts';
import { amountIn, askedBy, conditionParts } from './conditions/condition-parts.ts';
import { textOf } from './conditions/inputs.tsx';
import { type ConditionFields, RuleConditionFields } from './rule-conditions.tsx';

type Fields = ConditionFields & Record<'name' | 'type' | 'channel' | 'claimTimeoutHours', FieldFacts>;

/**
 * The channels on which the user may open a rule (their own may be missing), those of them that are neither
 * affiliate nor partner (their own as an empty text), the paid conditions, and whether paid draws are
 * allowed.
 */
export type RulePlaces = {
  ownChannel: string;
  others: readonly { id: string; displayName: string }[];
  plain: readonly string[];
  paid: readonly RequiredColumn[];
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

/** The attributes of a control that apply to a list of options. */
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

/** Repairs as clicks on the fields would; without JavaScript the form is sent and comes back repaired. */
function repair(event: MouseEvent<HTMLButtonElement>): void {
  event.preventDefault();
  const { form, value } = event.currentTarget;
  const field = value === 'one' ? '[name="type"][value="one"]' : `[name="${value}"]`;
  form?.querySelector<HTMLInputElement>(field)?.click();
}

function RepairButton({ value, children }: { value: string; children: ReactNode }) {
  return (
    <Button size="small" name="repair" value={value} formNoValidate onClick={repair}>
      {children}
    </Button>
  );
}

/** A warning shown if a random reward has a paid condition. If that is refused, its buttons repair it. */
function PaidChance({ preview, places }: Pick<RuleFieldsProps, 'preview' | 'places'>) {
  const { t } = useTranslation();
  const allowed = places.paidDraws;
  const guard = allowed ? 'guardOff' : 'guard';
  const paid = conditionParts.filter(
    ([, { column }]) => places.paid.includes(column) && preview[column] !== null,
  );
  return (
    <div id={CONFLICT_ID}>
      <Callout type={allowed ? 'plain' : 'danger'} title={t(`rules.form.${guard}Title`)}>
        <p>{t(`rules.form.${guard}`)}</p>
        {!allowed && (
          <div className="line mt-2">
            <RepairButton value="one">{t('rules.form.guardRepair')}</RepairButton>
            {paid.map(([key]) => (
              <RepairButton key={key} value={key}>
                {t('rules.form.guardRemove', { condition: t(`rules.form.${key}`) })}
              </RepairButton>
            ))}
          </div>
        )}
      </Callout>
    </div>
  );
}

/** The choice between one reward and a random one. */
export function TypeSet({ field, conflict }: { field: FieldFacts; conflict: boolean }) {
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
              bad={conflict && type === 'random'}
            >
              {t(`rules.form.${type}Text`)}
            </Choice>
          ))}
        </fieldset>
        <FieldError id={field.errorId} errors={field.errors} />
      </div>
    </div>
  );
}

type RuleFieldsProps = { fields: Fields; places: RulePlaces; preview: RulePreview; rewards: ReactNode };

/** The id of the element that explains a conflict between the fields. */
export const CONFLICT_ID = 'conflict';

/** Returns whether the fields, as they are, would be refused as a paid chance. */
export const hasConflict = (preview: RulePreview, places: RulePlaces): boolean =>
  isPaidDraw(preview, places.paid) && !places.paidDraws;

/** The fields of a new rule, in five parts. */
export function RuleFields({ fields, places, preview, rewards }: RuleFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className="form-part">
        <div className="form-part__name">{t('rules.form.basics')}</div>
        <div className="stack">
          {/* The only field that nothing is suggested for. */}
          <Field field={fields.name} label={t('rules.form.name')} hint={t('rules.form.nameHint')} autoFocus />
          <ChannelField field={fields.channel} places={places} />
        </div>
      </div>
      <TypeSet field={fields.type} conflict={hasConflict(preview, places)} />
      <fieldset className="form-part">
        <legend className="vh">{t('rules.conditions')}</legend>
        <div>
          <div className="form-part__name" aria-hidden="true">
            {t('rules.conditions')}
          </div>
          <p className="s13 muted">{t('rules.form.allMustHold')}</p>
        </div>
        <div className="stack">
          <RuleConditionFields
            fields={fields}
            othersToo={places.others.length > 0}
            isPlain={places.plain.includes(preview.channel)}
          />
          {isPaidDraw(preview, places.paid) && <PaidChance preview={preview} places={places} />}
        </div>
      </fieldset>
      {rewards}
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

export type RulePreview = Conditions & { type: RuleType; channel: string; claimTimeoutHours: number };

/**
 * Reads the conditions of a form that is being filled in; values that cannot be read yet count as not asked.
 */
export const previewOf = (form: FormData): RulePreview => ({
  type: form.get('type') === 'random' ? 'random' : 'one',
  channel: String(form.get('channel') ?? ''),
  ...askedBy((name) => form.get(name)),
  claimTimeoutHours: amountIn(form.get('claimTimeoutHours')) ?? 0,
});
