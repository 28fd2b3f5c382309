import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { siteHost } from '#app/config.server.ts';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import {
  constraintOf,
  emailField,
  newPasswordField,
  requiredText,
} from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits } from '#app/services/limits/password-limits.server.ts';
import { here, longestWait } from '#app/services/limits/rate-limits.server.ts';
import { rememberDevice } from '#app/services/sign-in/known-device.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { resetPassword } from '#domain/account/reset-password.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { isResetLinkOpen } from '#domain/identity/password/is-reset-link-open.ts';
import type { Route } from './+types/reset-password.ts';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

const FieldsSchema = z.object({
  email: emailField,
  token: requiredText(200),
  password: newPasswordField,
  password_confirmation: newPasswordField,
});
const ResetSchema = FieldsSchema.refine((sent) => sent.password === sent.password_confirmation, {
  path: ['password_confirmation'],
  error: 'errors.field.passwordsDiffer',
});

/** The page that the email links to. Opening it does not use the token. */
export async function loader({ request }: Route.LoaderArgs) {
  const { searchParams } = new URL(request.url);
  const [token, email] = [searchParams.get('token') ?? '', searchParams.get('email') ?? ''];
  const isOpen = await isResetLinkOpen((await database()).read, { token }, await domainNow());
  return { token, email, isOpen, constraint: constraintOf(FieldsSchema) };
}

export async function action({ request, context }: Route.ActionArgs) {
  const submission = parseWithZod(await request.formData(), { schema: ResetSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const { email, token, password } = submission.value;
  const account = emailAddress(email);
  const address = context.get(clientAddressContext);
  const wait = await longestWait({
    newPasswordByAddress: address,
    newPasswordHere: here(account, address),
  });
  if (wait > 0) return replyTooMany(submission, wait);
  const reset = { email, token, password, site: siteHost() };
  const outcome = await resetPassword(await database(), reset, await domainNow());
  if (!outcome.ok) {
    const field = outcome.code === 'resetLinkBad' ? undefined : 'password';
    return replyRefused(submission, accountRefusals[outcome.code], field);
  }
  // Earlier wrong guesses from this address must not keep the owner out.
  await clearPasswordLimits('signIn', { account, address });
  const headers = new Headers();
  await rememberDevice(request, outcome.userId, headers);
  return redirectWithToast('/auth/signin', { type: 'success', title: 'messages.passwordUpdated' }, headers);
}

/** Shown for a link that was used, has expired, or never existed. */
function ClosedLink() {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('recovery.closed.title')} lede={t('recovery.closed.text')}>
      <ButtonLink kind="primary" size="large" wide to="/auth/forgot-password">
        {t('recovery.closed.another')}
      </ButtonLink>
      <p className="s13 muted">
        <Link to="/auth/signin">{t('recovery.toSignin')}</Link>
      </p>
    </AuthShell>
  );
}

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  return loaderData.isOpen || actionData ? (
    <ResetForm loaderData={loaderData} actionData={actionData} />
  ) : (
    <ClosedLink />
  );
}

function ResetForm({ loaderData, actionData }: Pick<Route.ComponentProps, 'loaderData' | 'actionData'>) {
  const { t } = useTranslation();
  const [form, fields] = useForm<z.input<typeof FieldsSchema>>({
    id: 'reset-password',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
    defaultValue: { email: loaderData.email },
  });
  return (
    <AuthShell title={t('recovery.reset.title')} lede={t('recovery.reset.lede')}>
      <Form className="stack" method="post" {...form.props}>
        <FormErrors id={form.errorId} errors={form.errors ?? fields.token.errors} />
        <input type="hidden" name="token" value={loaderData.token} />
        <Field field={fields.email} label={t('auth.email')} type="email" autoComplete="username" />
        <Field
          field={fields.password}
          label={t('profile.password.next')}
          hint={t('auth.passwordHint')}
          type="password"
          autoComplete="new-password"
        />
        <Field
          field={fields.password_confirmation}
          label={t('recovery.reset.again')}
          type="password"
          autoComplete="new-password"
        />
        <SubmitButton size="large" wide>
          {t('recovery.reset.submit')}
        </SubmitButton>
      </Form>
      <p className="s13 muted">
        <Link to="/auth/forgot-password">{t('recovery.reset.another')}</Link>
      </p>
    </AuthShell>
  );
}
