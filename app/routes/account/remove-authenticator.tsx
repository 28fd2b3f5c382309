import { parseWithZod } from '@conform-to/zod/v4';
import { Form, redirect } from 'react-router';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { Link } from '#app/components/shell/link.tsx';
import { PageHead } from '#app/components/shell/page-head.tsx';
import { Sheet } from '#app/components/shell/sheet.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { CodeSchema, codeConstraint } from '#app/services/code-form.server.ts';
import { clearCodeLimits, waitBeforeCode } from '#app/services/code-limits.server.ts';
import { database } from '#app/services/database.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/form-reply.server.ts';
import { accountRefusals } from '#app/services/refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { getSecondFactor } from '#domain/account/second-factor/get-second-factor.ts';
import { removeAuthenticator } from '#domain/account/second-factor/remove-authenticator.ts';
import type { Route } from './+types/remove-authenticator.ts';
import { CodeField } from './code-field.tsx';

const page = '/profile/second-factor/off';
const overview = '/profile/second-factor';

export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const { authenticatorAtMs } = await getSecondFactor((await database()).read, { userId });
  if (authenticatorAtMs === null) throw redirect(overview);
  const recovery = new URL(request.url).searchParams.has('recovery');
  return { recovery, constraint: codeConstraint };
}

/** Turns the app off by one of its codes or a recovery code, however lately this session was confirmed. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const submission = parseWithZod(await request.formData(), { schema: CodeSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const proof = { userId, ...submission.value };
  const address = context.get(clientAddressContext);
  const wait = await waitBeforeCode(proof, address);
  if (wait > 0) return replyTooMany(submission, wait);
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const outcome = await removeAuthenticator(await database(), proof, times);
  if (!outcome.ok) {
    const refusal = accountRefusals[outcome.code];
    if (outcome.code === 'secondFactorWrong') return replyRefused(submission, refusal, 'code');
    return redirectWithToast(overview, { type: 'info', title: refusal.key });
  }
  await clearCodeLimits(userId, address);
  return redirectWithToast(overview, { type: 'success', title: 'secondFactor.remove.done' });
}

export default function RemoveAuthenticator({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { recovery, constraint } = loaderData;
  const [form, fields] = useForm<{ code: string }>({
    id: 'remove-authenticator',
    constraint,
    lastResult: actionData?.result,
  });
  return (
    <div className="confirm">
      <PageHead
        title={t('secondFactor.remove.title')}
        lede={t('secondFactor.remove.text')}
        above={[{ to: overview, label: t('secondFactor.title') }]}
      />
      <Sheet>
        <Form className="stack" method="post" {...form.props}>
          <FormErrors id={form.errorId} errors={form.errors} />
          <CodeField field={fields.code} recovery={recovery} />
          <p className="s13">
            <Link to={recovery ? page : `${page}?recovery`}>
              {recovery ? t('secondFactor.step.toApp') : t('secondFactor.step.toRecovery')}
            </Link>
          </p>
          <div className="line">
            <ButtonLink kind="quiet" to={overview}>
              {t('secondFactor.remove.keep')}
            </ButtonLink>
            <SubmitButton kind="danger-fill">{t('secondFactor.remove.act')}</SubmitButton>
          </div>
        </Form>
      </Sheet>
    </div>
  );
}
