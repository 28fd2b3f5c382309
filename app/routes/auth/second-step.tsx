import { parseWithZod } from '@conform-to/zod/v4';
import { Form, redirect } from 'react-router';
import { SubmitButton } from '#app/components/forms/button.tsx';
import { FormErrors } from '#app/components/forms/field.tsx';
import { useForm } from '#app/components/forms/form.ts';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { LinkedText, useTranslation } from '#app/components/text/translation.tsx';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { CodeSchema, codeConstraint } from '#app/services/code-form.server.ts';
import { completeByCode } from '#app/services/credentials.server.ts';
import { database } from '#app/services/database.server.ts';
import { enter } from '#app/services/entrance.server.ts';
import { replyInvalid, replyRefused, replyTooMany } from '#app/services/form-reply.server.ts';
import { accountRefusals } from '#app/services/refusals.server.ts';
import { safePath } from '#app/services/safe-redirect.server.ts';
import { clearPendingSignIn, pendingSignIn, secondStepPage } from '#app/services/second-step.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { findPendingSignIn } from '#domain/account/session/complete-sign-in.ts';
import { CodeField } from '../account/code-field.tsx';
import type { Route } from './+types/second-step.ts';

export const handle: PageHandle = { plain: true };

const pageAfter = (request: Request): string =>
  safePath(new URL(request.url).searchParams.get('to'), '/dashboard');

export async function loader({ request }: Route.LoaderArgs) {
  const pendingToken = (await pendingSignIn(request)) ?? '';
  if (!(await findPendingSignIn((await database()).read, { pendingToken }, await domainNow())))
    throw redirect('/auth/signin');
  const recovery = new URL(request.url).searchParams.has('recovery');
  const page = secondStepPage(pageAfter(request));
  return { recovery, otherWay: recovery ? page : `${page}&recovery`, constraint: codeConstraint };
}

const startAgain = async () =>
  redirectWithToast(
    '/auth/signin',
    { type: 'warning', title: accountRefusals.signInExpired.key },
    new Headers({ 'Set-Cookie': await clearPendingSignIn() }),
  );

/** Signs in whoever proved the first factor in this browser, and has the second. */
export async function action({ request, context }: Route.ActionArgs) {
  const submission = parseWithZod(await request.formData(), { schema: CodeSchema });
  if (submission.status !== 'success') return replyInvalid(submission);
  const { code } = submission.value;
  const pendingToken = (await pendingSignIn(request)) ?? '';
  const outcome = await completeByCode(request, { pendingToken, code }, context.get(clientAddressContext));
  if (!outcome.ok) {
    if (outcome.code === 'signInExpired') return startAgain();
    return outcome.code === 'tooManyTries'
      ? replyTooMany(submission, outcome.waitSeconds)
      : replyRefused(submission, accountRefusals[outcome.code], 'code');
  }
  const { to, headers } = await enter(outcome, pageAfter(request));
  headers.append('Set-Cookie', await clearPendingSignIn());
  return redirect(to, { headers });
}

export default function SecondStep({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { recovery, otherWay, constraint } = loaderData;
  const [form, fields] = useForm<{ code: string }>({
    id: 'second-step',
    constraint,
    lastResult: actionData?.result,
  });
  return (
    <AuthShell
      title={t('secondFactor.step.title')}
      lede={recovery ? t('secondFactor.step.recoveryLede') : t('secondFactor.step.lede')}
    >
      <Form className="stack" method="post" {...form.props}>
        <FormErrors id={form.errorId} errors={form.errors} />
        <CodeField field={fields.code} recovery={recovery} />
        <SubmitButton size="large" wide>
          {t('secondFactor.step.submit')}
        </SubmitButton>
      </Form>
      <p className="s13">
        <Link to={otherWay}>
          {recovery ? t('secondFactor.step.toApp') : t('secondFactor.step.toRecovery')}
        </Link>
      </p>
      <p className="s13 muted">
        <LinkedText text="secondFactor.step.lost" links={{ contact: <Link to="/contact_us" /> }} />{' '}
        <Link to="/auth/signin">{t('secondFactor.step.again')}</Link>
      </p>
    </AuthShell>
  );
}
