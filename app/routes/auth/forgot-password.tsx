import { parseWithZod } from '@conform-to/zod/v4';
import { data, Form } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, emailField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { longestWait } from '#app/services/limits/rate-limits.server.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { requestPasswordReset } from '#domain/identity/password/request-password-reset.ts';
import type { Route } from './+types/forgot-password.ts';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

const ForgotSchema = z.object({ email: emailField });

export const loader = () => ({ constraint: constraintOf(ForgotSchema) });

/** Requests a password reset email. The answer does not reveal whether the address has an account. */
export async function action({ request, context }: Route.ActionArgs) {
  const submission = parseWithZod(await request.formData(), { schema: ForgotSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const { email } = submission.value;
  const address = context.get(clientAddressContext);
  const wait = await longestWait({ resetByAddress: address, resetByAccount: emailAddress(email) });
  if (wait > 0) return replyTooMany(submission, wait);
  await requestPasswordReset(await database(), { email }, await domainNow());
  nudgeBot();
  return data({ result: null, sentTo: email });
}

function Sent({ email }: { email: string }) {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('recovery.sent.title')} lede={t('recovery.sent.text', { email })}>
      <p className="muted">{t('recovery.sent.hint')}</p>
      <p className="s13 muted">
        <Link to="/auth/signin">{t('recovery.toSignin')}</Link>
      </p>
    </AuthShell>
  );
}

export default function ForgotPassword({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const [form, fields] = useForm<z.input<typeof ForgotSchema>>({
    id: 'forgot-password',
    constraint: loaderData.constraint,
    lastResult: actionData?.result ?? null,
  });
  if (actionData && 'sentTo' in actionData) return <Sent email={actionData.sentTo} />;
  return (
    <AuthShell title={t('recovery.forgot.title')} lede={t('recovery.forgot.lede')}>
      <Form className="stack" method="post" {...form.props}>
        <FormErrors id={form.errorId} errors={form.errors} />
        <Field field={fields.email} label={t('auth.email')} type="email" autoComplete="username" />
        <SubmitButton size="large" wide>
          {t('recovery.forgot.submit')}
        </SubmitButton>
      </Form>
      <p className="s13 muted">
        <Link to="/auth/signin">{t('recovery.toSignin')}</Link>
      </p>
    </AuthShell>
  );
}
