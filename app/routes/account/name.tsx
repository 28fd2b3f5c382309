import { parseWithZod } from '@conform-to/zod/v4';
import { Form } from 'react-router';
import { z } from 'zod';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { Field, FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { constraintOf, nameField } from '#app/services/forms/form-fields.server.ts';
import { replyInvalid } from '#app/services/forms/form-reply.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { renameUser } from '#domain/account/rename-user.ts';
import type { Route } from './+types/name.ts';

const NameSchema = z.object({ name: nameField });

export async function loader({ context }: Route.LoaderArgs) {
  const { name } = await requireVerifiedAccount(context);
  return { name, constraint: constraintOf(NameSchema) };
}

export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const submission = parseWithZod(await request.formData(), { schema: NameSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  await renameUser(await database(), { userId, name: submission.value.name }, await domainNow());
  return redirectWithToast('/profile', { type: 'success', title: 'identity.name.done' });
}

export default function Name({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const [form, fields] = useForm<z.input<typeof NameSchema>>({
    id: 'name',
    constraint: loaderData.constraint,
    lastResult: actionData?.result,
    defaultValue: { name: loaderData.name },
  });
  return (
    <>
      <PageHead title={t('identity.name.title')} above={[{ to: '/profile', label: t('profile.title') }]} />
      <Sheet>
        <Form className="stack" method="post" {...form.props}>
          <FormErrors id={form.errorId} errors={form.errors} />
          <Field
            field={fields.name}
            label={t('auth.name')}
            hint={t('auth.signup.nameHint')}
            autoComplete="nickname"
          />
          <div className="line">
            <SubmitButton>{t('identity.name.save')}</SubmitButton>
          </div>
        </Form>
      </Sheet>
    </>
  );
}
