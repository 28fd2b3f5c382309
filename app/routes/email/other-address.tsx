import type { Constraint, SubmissionResult } from '@conform-to/dom';
import { Form } from 'react-router';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

/** The form that replaces a mistyped address, folded until it is asked for or has errors. */
export function OtherAddress({
  hasPassword,
  constraint,
  result,
}: {
  hasPassword: boolean;
  constraint: Partial<Record<string, Constraint>>;
  result: SubmissionResult<string[]> | undefined;
}) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ email: string; password: string }>({
    id: 'other-address',
    constraint,
    lastResult: result,
  });
  return (
    <details open={result !== undefined}>
      <summary>{t('auth.unverified.mistyped')}</summary>
      <Form className="stack mt-4" method="post" action="/email/unverified" {...form.props}>
        <input type="hidden" name="other" value="1" />
        <FormErrors id={form.errorId} errors={form.errors} />
        <Field field={fields.email} label={t('auth.unverified.rightOne')} type="email" autoComplete="email" />
        {hasPassword && (
          <Field
            field={fields.password}
            label={t('profile.password.current')}
            type="password"
            autoComplete="current-password"
          />
        )}
        <SubmitButton wide>{t('identity.email.save')}</SubmitButton>
      </Form>
    </details>
  );
}
