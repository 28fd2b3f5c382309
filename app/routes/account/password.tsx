import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { siteHost } from '#app/config.server.ts';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireMoreThanPassword, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import {
  constraintOf,
  knownPasswordField,
  newPasswordField,
} from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits, countPassword } from '#app/services/limits/password-limits.server.ts';
import { rememberDevice } from '#app/services/sign-in/known-device.server.ts';
import { cookieHeaders, renewSession, sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { changePassword } from '#domain/identity/password/change-password.ts';
import type { Route } from './+types/password.ts';

export const headers = waitHeaders;

const FirstPasswordSchema = z.object({ next: newPasswordField });
const PasswordSchema = FirstPasswordSchema.extend({ current: knownPasswordField });
const schemaFor = (hasPassword: boolean) => (hasPassword ? PasswordSchema : FirstPasswordSchema);

export async function loader({ context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/profile/password');
  const { hasPassword } = account;
  return { hasPassword, constraint: constraintOf(schemaFor(hasPassword)) };
}

export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/profile/password');
  const { id: userId, hasPassword, email } = account;
  const submission = parseWithZod(await request.formData(), { schema: schemaFor(hasPassword) });
  if (submission.status !== 'success') return replyInvalid(submission);
  const place = { account: email, address: context.get(clientAddressContext) };
  const wait = await countPassword('confirm', place);
  if (wait > 0) return replyTooMany(submission, wait);
  const change = {
    userId,
    current: '',
    ...submission.value,
    currentToken: (await sessionToken(request)) ?? '',
    site: siteHost(),
  };
  const outcome = await changePassword(await database(), change, await domainNow());
  if (!outcome.ok) {
    const field = outcome.code === 'passwordWrong' ? undefined : 'next';
    return replyRefused(submission, accountRefusals[outcome.code], field);
  }
  await clearPasswordLimits('confirm', place);
  // This browser gets a new token too, so that a copy of the old one ends with the others.
  const headers = cookieHeaders(await renewSession(request, { userId, isProof: true }));
  await rememberDevice(request, userId, headers);
  return redirectWithToast('/profile', { type: 'success', title: 'messages.passwordUpdated' }, headers);
}

export default function Password({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ current: string; next: string }>({
    id: 'password',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <>
      <PageHead
        title={t('profile.password.title')}
        lede={t('profile.password.lede')}
        above={[{ to: '/profile', label: t('profile.title') }]}
      />
      <Sheet>
        <Form className="stack" method="post" {...form.props}>
          <FormErrors id={form.errorId} errors={form.errors} />
          {loaderData.hasPassword && (
            <Field
              field={fields.current}
              label={t('profile.password.current')}
              type="password"
              autoComplete="current-password"
            />
          )}
          <Field
            field={fields.next}
            label={t('profile.password.next')}
            hint={t('auth.passwordHint')}
            type="password"
            autoComplete="new-password"
          />
          <div className="line">
            <SubmitButton>
              {loaderData.hasPassword ? t('profile.password.save') : t('profile.password.set')}
            </SubmitButton>
          </div>
        </Form>
      </Sheet>
    </>
  );
}
