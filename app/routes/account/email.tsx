import { Form } from 'react-router';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireMoreThanPassword, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { newEmailConstraint, sendToNewEmail } from '#app/services/sign-in/new-email.server.ts';
import type { Route } from './+types/email.ts';

export const headers = waitHeaders;

export async function loader({ context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/profile/email');
  const { hasPassword, email } = account;
  return { hasPassword, email, constraint: newEmailConstraint(hasPassword) };
}

/** Sends a link to the new address; the old one stays in use until it is opened. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  requireMoreThanPassword(context, account, '/profile/email');
  const form = await request.formData();
  const who = { account, address: context.get(clientAddressContext) };
  return sendToNewEmail(form, who, { to: '/profile', body: 'identity.email.sentBody' });
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
