import type { Constraint } from '@conform-to/dom';
import { Component, type ComponentProps, type ReactNode, Suspense } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { CircleAlert } from '#app/components/icons/signs.ts';
import { useTextsFor } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { TextValues } from '#app/locales/translation.ts';

/** A field's name, initial value, errors and bounds. */
export interface FieldFacts
  extends Pick<Constraint, 'required' | 'minLength' | 'maxLength' | 'min' | 'max' | 'pattern'> {
  id: string;
  name: string;
  errors: string[] | undefined;
  errorId: string;
  descriptionId: string;
  initialValue: unknown;
}

type ErrorProps = {
  /** A key of the locale, optionally with values after a bar: `errors.field.range|{"min":1}`. */
  error: string;
};

function LoadedErrorText({ error }: ErrorProps) {
  const { t } = useTranslation();
  const [, key = error, values = '{}'] = /^([^|]*)\|(.*)$/s.exec(error) ?? [];
  useTextsFor(key);
  return (t as (key: string, values: TextValues) => string)(key, JSON.parse(values));
}

/** Keeps the page and the entered text if the text of an error cannot be loaded. */
class LoadFailureBoundary extends Component<
  { fallback: ReactNode; children: ReactNode },
  { failed: boolean }
> {
  override state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}

/** The text of an error code. Pages come without these texts and load them with the first error. */
export function ErrorText({ error }: ErrorProps) {
  const { t } = useTranslation();
  return (
    <LoadFailureBoundary key={error} fallback={t('common.reasonNotLoaded')}>
      <Suspense fallback={null}>
        <LoadedErrorText error={error} />
      </Suspense>
    </LoadFailureBoundary>
  );
}

/** The id of a field's error, for `aria-describedby`. */
export function FieldError({ id, errors }: { id: string; errors: readonly string[] | undefined }) {
  const first = errors?.[0];
  if (first === undefined) return null;
  return (
    <span className="field__error" id={id}>
      <Icon of={CircleAlert} size="small" />
      <span>
        <ErrorText error={first} />
      </span>
    </span>
  );
}

/** Attributes that connect a control to its field: name, errors, hint and the bounds of its schema. */
export function controlProps(field: FieldFacts, hasHint: boolean) {
  const invalid = (field.errors?.length ?? 0) > 0;
  const described = [hasHint && field.descriptionId, invalid && field.errorId].filter(Boolean).join(' ');
  return {
    id: field.id,
    name: field.name,
    required: field.required,
    minLength: field.minLength,
    maxLength: field.maxLength,
    min: field.min,
    max: field.max,
    pattern: field.pattern,
    'aria-invalid': invalid || undefined,
    'aria-describedby': described || undefined,
  };
}

type FrameProps = { field: FieldFacts; label: ReactNode; hint?: ReactNode; children: ReactNode };

/** Label, control, hint and error of one field, in that order. */
export function FieldFrame({ field, label, hint, children }: FrameProps) {
  return (
    <div className="field">
      <label className="field__label" htmlFor={field.id}>
        {label}
      </label>
      {children}
      {hint && (
        <span className="field__hint" id={field.descriptionId}>
          {hint}
        </span>
      )}
      <FieldError id={field.errorId} errors={field.errors} />
    </div>
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

type Own = { field: FieldFacts; label: ReactNode; hint?: ReactNode };
type InputProps = Own & { unit?: ReactNode } & Omit<ComponentProps<'input'>, keyof Own>;

/** A one-line field. With a unit it is narrow, followed by the unit. Passwords are never refilled. */
export function Field({ field, label, hint, unit, className = '', ...rest }: InputProps) {
  const start = rest.type === 'password' ? undefined : textOf(field.initialValue);
  const numeric = rest.type === 'number' ? ' input--num' : '';
  const input = (
    <input
      defaultValue={start}
      {...controlProps(field, Boolean(hint))}
      {...rest}
      className={`input${unit ? ' input--short' : ''}${numeric} ${className}`.trim()}
    />
  );
  return (
    <FieldFrame field={field} label={label} hint={hint}>
      {unit ? (
        <span className="input-unit">
          {input}
          {unit}
        </span>
      ) : (
        input
      )}
    </FieldFrame>
  );
}

type AreaProps = Own & Omit<ComponentProps<'textarea'>, keyof Own>;

/** A field of several lines. */
export function TextField({ field, label, hint, className = '', ...rest }: AreaProps) {
  const bounds = controlProps(field, Boolean(hint));
  const { min: _min, max: _max, pattern: _pattern, ...area } = bounds;
  return (
    <FieldFrame field={field} label={label} hint={hint}>
      <textarea
        defaultValue={textOf(field.initialValue)}
        {...area}
        {...rest}
        className={`input ${className}`.trim()}
      />
    </FieldFrame>
  );
}

/** An error of the form as a whole, announced at once. */
export function FormErrors({ id, errors }: { id: string; errors: readonly string[] | undefined }) {
  if (!errors || errors.length === 0) return null;
  return (
    <div className="callout callout--danger" role="alert" id={id}>
      <Icon of={CircleAlert} />
      {errors.map((error) => (
        <p key={error}>
          <ErrorText error={error} />
        </p>
      ))}
    </div>
  );
}
