import { Field, type FieldFacts } from '#app/components/forms/field.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Asks for a code of the app, or for a recovery code, which phones need another keyboard for. */
export function CodeField({ field, recovery }: { field: FieldFacts; recovery: boolean }) {
  const { t } = useTranslation();
  return (
    <Field
      field={field}
      label={recovery ? t('secondFactor.step.recovery') : t('secondFactor.step.code')}
      autoComplete={recovery ? 'off' : 'one-time-code'}
      inputMode={recovery ? 'text' : 'numeric'}
      autoCapitalize={recovery ? 'characters' : undefined}
      spellCheck={false}
    />
  );
}
