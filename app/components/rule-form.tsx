import type { FieldMetadata } from '@conform-to/react';
import { useTranslation } from 'react-i18next';
import { useSpanText } from './amounts.tsx';
import { Choice } from './choices.tsx';
import { controlProps, Field, FieldError, type FieldFacts } from './field.tsx';
import { ConditionList, type RuleConditions } from './rule-words.tsx';

type Fields = Record<
  | 'name'
  | 'follow'
  | 'followDays'
  | 'watch'
  | 'watchAmount'
  | 'watchUnit'
  | 'watchScope'
  | 'claimTimeoutHours',
  FieldFacts & Pick<FieldMetadata<unknown>, 'initialValue'>
>;

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

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

function FollowSet({ fields }: { fields: Fields }) {
  const { t } = useTranslation();
  return (
    <div className="set">
      <label className="check">
        <input
          type="checkbox"
          name={fields.follow.name}
          defaultChecked={fields.follow.initialValue === 'on'}
        />
        <span>
          <b>{t('rules.form.follow')}</b>
          <br />
          <span className="s13 muted">{t('rules.form.followText')}</span>
        </span>
      </label>
      <span>
        <Amount field={fields.followDays} label={t('rules.form.followDays')} unit={t('rules.form.days')} />
        <FieldError id={fields.followDays.errorId} errors={fields.followDays.errors} />
      </span>
    </div>
  );
}

function WatchSet({ fields }: { fields: Fields }) {
  const { t } = useTranslation();
  const option = (field: FieldFacts, label: string, values: readonly (readonly [string, string])[]) => (
    <select
      className="select select--auto"
      name={field.name}
      defaultValue={textOf(field.initialValue)}
      aria-label={label}
    >
      {values.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
  return (
    <div className="set">
      <label className="check">
        <input type="checkbox" name={fields.watch.name} defaultChecked={fields.watch.initialValue === 'on'} />
        <span>
          <b>{t('rules.form.watch')}</b>
          <br />
          <span className="s13 muted">{t('rules.form.watchText')}</span>
        </span>
      </label>
      <span>
        <span className="line line-tight line-nowrap">
          <Amount field={fields.watchAmount} label={t('rules.form.watchAmount')} unit="" />
          {option(fields.watchUnit, t('rules.form.watchUnit'), [
            ['hours', t('rules.form.hours')],
            ['minutes', t('rules.form.minutes')],
          ])}
        </span>
        <FieldError id={fields.watchAmount.errorId} errors={fields.watchAmount.errors} />
      </span>
    </div>
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

/** The fields of a new rule, in three parts. */
export function RuleFields({ fields, channelName }: { fields: Fields; channelName: string }) {
  const { t } = useTranslation();
  return (
    <>
      <div className="form-part">
        <div className="form-part__name">{t('rules.form.basics')}</div>
        <div className="stack">
          <Field field={fields.name} label={t('rules.form.name')} hint={t('rules.form.nameHint')} />
          {channelName !== '' && (
            <p className="s13 muted">{t('rules.form.channel', { channel: channelName })}</p>
          )}
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
        <div className="sheet rows">
          <WatchSet fields={fields} />
          <ScopeSet field={fields.watchScope} />
          <FollowSet fields={fields} />
        </div>
      </fieldset>
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

export type RulePreview = RuleConditions & { claimTimeoutHours: number };

/** What a form that is being filled in would ask; what cannot be read yet counts as not asked. */
export function previewOf(form: FormData): RulePreview {
  const whole = (name: string) => {
    const value = Number(form.get(name));
    return Number.isSafeInteger(value) && value > 0 ? value : null;
  };
  const amount = whole('watchAmount');
  return {
    followDays: form.has('follow') ? whole('followDays') : null,
    watchMinutes:
      form.has('watch') && amount !== null ? amount * (form.get('watchUnit') === 'hours' ? 60 : 1) : null,
    watchScope: form.get('watchScope') === 'allTime' ? 'allTime' : 'sinceRule',
    claimTimeoutHours: whole('claimTimeoutHours') ?? 0,
  };
}

/** What a rule asks of a viewer, in words. */
export function PreviewSheet({ preview }: { preview: RulePreview }) {
  const { t } = useTranslation();
  const span = useSpanText();
  const asksNothing = preview.followDays === null && preview.watchMinutes === null;
  return (
    <section className="sheet" aria-live="polite">
      <div className="sheet__head">
        <h2>{t('rules.preview.title')}</h2>
      </div>
      <div className="sheet__pad stack stack-3">
        <p className="muted">{asksNothing ? t('rules.preview.nothing') : t('rules.preview.asks')}</p>
        <ConditionList rule={preview} />
        {!asksNothing && preview.claimTimeoutHours > 0 && (
          <p className="muted">
            {t('rules.preview.claimTime', { span: span(preview.claimTimeoutHours * 3600) })}
          </p>
        )}
        <p className="s13 faint">{t('rules.preview.rewards')}</p>
      </div>
    </section>
  );
}
