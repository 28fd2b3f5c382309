import { redirect } from 'react-router';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import { Link } from '#app/components/shell/link.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { LinkedText, useTranslation } from '#app/components/text/translation.tsx';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { enter } from '#app/routes/auth/entrance.server.ts';
import { clearPendingSignIn, pendingSignIn, secondStepPage } from '#app/routes/auth/second-step.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { completeByProof } from '#app/services/sign-in/credentials.server.ts';
import { askForProof, readProofForm, replyUnproven } from '#app/services/sign-in/proof-form.server.ts';
import { safePath } from '#app/services/sign-in/safe-redirect.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { findPendingSignIn } from '#domain/identity/session/complete-sign-in.ts';
import { askAgainIfRefused } from '../account/ask-again.ts';
import { ProofForms } from '../account/proof-forms.tsx';
import type { Route } from './+types/second-step.ts';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

const pageAfter = (request: Request): string =>
  safePath(new URL(request.url).searchParams.get('to'), '/dashboard');

/** Returns the page on which a sign-in starts again, to go on to the same page. */
const signInAgain = (request: Request): string =>
  `/auth/signin?${new URLSearchParams({ to: pageAfter(request) })}`;

/**
 * Starts a sign-in again and goes on to the same page. The reason is shown to a visitor who had begun one.
 */
async function startAgain(request: Request, pendingToken: string | null) {
  const page = signInAgain(request);
  if (pendingToken === null) return redirect(page);
  return redirectWithToast(
    page,
    { type: 'warning', title: accountRefusals.signInExpired.key },
    new Headers({ 'Set-Cookie': await clearPendingSignIn() }),
  );
}

export const shouldRevalidate = askAgainIfRefused;

export async function loader({ request }: Route.LoaderArgs) {
  const pendingToken = await pendingSignIn(request);
  const pending =
    pendingToken === null
      ? null
      : await findPendingSignIn((await database()).read, { pendingToken }, await domainNow());
  if (pendingToken === null || !pending) throw await startAgain(request, pendingToken);
  const asked = await askForProof(request, { userId: pending.userId, token: pendingToken });
  return { asked, page: secondStepPage(pageAfter(request)), again: signInAgain(request) };
}

/** Signs in a user who proved the first factor in this browser, and has the second. */
export async function action({ request, context }: Route.ActionArgs) {
  const pendingToken = await pendingSignIn(request);
  const read = await readProofForm(request, pendingToken ?? '');
  if (read.proof === null) return read.reply;
  if (pendingToken === null) return startAgain(request, null);
  const { proof } = read;
  const outcome = await completeByProof(request, { pendingToken, proof }, context.get(clientAddressContext));
  if (!outcome.ok)
    return outcome.code === 'signInExpired'
      ? startAgain(request, pendingToken)
      : replyUnproven(read, outcome);
  const { to, headers } = await enter(request, outcome, pageAfter(request));
  headers.append('Set-Cookie', await clearPendingSignIn());
  return redirect(to, { headers });
}

export default function SecondStep({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const { asked, page } = loaderData;
  const ledes = {
    app: asked.passkey ? t('secondFactor.step.eitherLede') : t('secondFactor.step.lede'),
    recovery: t('secondFactor.step.recoveryLede'),
    passkey: t('secondFactor.step.passkeyLede'),
  };
  return (
    <AuthShell title={t('secondFactor.step.title')} lede={ledes[asked.code ?? 'passkey']}>
      <ProofForms
        id="second-step"
        asked={asked}
        lastResult={actionData?.result}
        page={page}
        act={t('secondFactor.step.submit')}
        wide
      />
      <p className="s13 muted">
        <LinkedText text="secondFactor.step.lost" links={{ contact: <Link to="/contact_us" /> }} />{' '}
        <Link to={loaderData.again}>{t('secondFactor.step.again')}</Link>
      </p>
    </AuthShell>
  );
}
