import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireMoreThanPassword, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, emailField, knownPasswordField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { clearPasswordLimits, countPassword } from '#app/services/limits/password-limits.server.ts';
import { returnOne, waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { requestEmailChange } from '#domain/identity/email/request-email-change.ts';
import type { Route } from './+types/email.ts';

export const headers = waitHeaders;

const AddressSchema = z.object({ email: emailField });
const ChangeSchema = AddressSchema.extend({ password: knownPasswordField });
const schemaFor = (hasPassword: boolean) => (hasPassword ? ChangeSchema : AddressSchema);

export async function loader({ context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/profile/email');
  const { hasPassword, email } = account;
  return { hasPassword, email, constraint: constraintOf(schemaFor(hasPassword)) };
}

/** Sends a link to the new address; the old one stays in use until it is opened. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/profile/email');
  const { id: userId, hasPassword, email: present } = account;
  const submission = parseWithZod(await request.formData(), { schema: schemaFor(hasPassword) });
  if (submission.status !== 'success') return replyInvalid(submission);
  const place = { account: present, address: context.get(clientAddressContext) };
  const wait =
    (await countPassword('confirm', place)) ||
    (await waitSeconds('changeEmailByAccount', userId)) ||
    (await waitSeconds('changeEmailInADay', userId));
  if (wait > 0) return replyTooMany(submission, wait);
  const change = { userId, password: '', ...submission.value };
  const outcome = await requestEmailChange(await database(), change, await domainNow());
  if (!outcome.ok) {
    // Nothing was mailed, so the attempt is given back. Otherwise somebody who guesses in a stolen session
    // would keep the owner from a new address for a day.
    await returnOne('changeEmailInADay', userId);
    const field = outcome.code === 'passwordWrong' ? undefined : ('email' as const);
    return replyRefused(submission, accountRefusals[outcome.code], field);
  }
  await clearPasswordLimits('confirm', place);
  nudgeBot();
  return redirectWithToast('/profile', {
    type: 'info',
    title: 'identity.email.sent',
    body: 'identity.email.sentBody',
    values: { email: change.email },
  });
}

export default function Email({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const [form, fields] = useForm<{ email: string; password: string }>({
    id: 'email',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
  });
  return (
    <>
      <PageHead
        title={t('identity.email.title')}
        lede={t('identity.email.lede', { email: loaderData.email })}
        above={[{ to: '/profile', label: t('profile.title') }]}
      />
      <Sheet>
        <Form className="stack" method="post" {...form.props}>
          <FormErrors id={form.errorId} errors={form.errors} />
          <Field field={fields.email} label={t('identity.email.next')} type="email" autoComplete="email" />
          {loaderData.hasPassword && (
            <Field
              field={fields.password}
              label={t('profile.password.current')}
              type="password"
              autoComplete="current-password"
            />
          )}
          <div className="line">
            <SubmitButton>{t('identity.email.save')}</SubmitButton>
          </div>
        </Form>
      </Sheet>
    </>
  );
}
