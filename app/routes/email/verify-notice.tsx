import type { ReactNode } from 'react';
import { Form } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Says that the email still has to be verified, and offers to resend the link. */
export function VerifyNotice({
  email,
  error,
  canResend = true,
  children,
}: {
  email: string;
  error?: string | undefined;
  /** False if the link went to another address than the account's. */
  canResend?: boolean;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('auth.unverified.title')} lede={t('errors.user.unverified')}>
      <p>{t('auth.unverified.sentTo', { email })}</p>
      {error && (
        <Callout type="danger">
          <p>
            <ErrorText error={error} />
          </p>
        </Callout>
      )}
      {canResend && (
        <Form method="post" action="/email/unverified">
          <SubmitButton size="large" wide formAction="/email/unverified">
            {t('auth.unverified.resend')}
          </SubmitButton>
        </Form>
      )}
      {children}
      <p className="s13 muted">
        <Link to="/auth/signout">{t('auth.unverified.signout')}</Link>
      </p>
    </AuthShell>
  );
}
