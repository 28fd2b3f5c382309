import { data, Form, redirect } from 'react-router';
import { Callout } from '#app/components/feedback/callout.tsx';
import { ButtonLink, SubmitButton } from '#app/components/forms/button.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { AuthShell } from '#app/components/shell/auth-shell.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireAccount } from '#app/middleware/guards.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { cookieHeaders, renewSession } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import type { AccountCode } from '#domain/identity/account-code.ts';
import { findEmailLink } from '#domain/identity/email/find-email-link.ts';
import type { Route } from './+types/verify.ts';
import { VerifyNotice } from './verify-notice.tsx';

export const handle: PageHandle = { plain: true };

type Facts =
  | { kind: 'waiting'; email: string }
  | { kind: 'confirm'; email: string; token: string }
  | { kind: 'failed'; isSignedIn: boolean; error: string };

/** The link was used again by the person it verified: treated as a success. */
const isDone = (code: AccountCode, account: Account | null): boolean =>
  code === 'verificationUsed' && account?.verified === true;

function refused(code: AccountCode, account: Account | null) {
  const { status, key } = accountRefusals[code];
  return data<Facts>({ kind: 'failed', isSignedIn: account !== null, error: key }, { status });
}

/**
 * With a token from an email: shows a button, signed in or not, because mail scanners open links too. Without one:
 * asks people to open that email.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const token = new URL(request.url).searchParams.get('token');
  if (token === null) {
    const { email, verified } = await requireAccount(context);
    if (verified) throw redirect('/dashboard');
    return data<Facts>({ kind: 'waiting', email });
  }
  const found = await findEmailLink((await database()).read, { token }, await domainNow());
  const account = context.get(accountContext);
  if (!found.ok && isDone(found.code, account)) throw redirect('/dashboard');
  if (!found.ok) return refused(found.code, account);
  return data<Facts>({ kind: 'confirm', email: found.link.token.email, token });
}

/**
 * Uses the link. A browser signed in to this account gets a new token, because it has more rights now; the link does not
 * confirm who uses that browser.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const token = (await request.formData()).get('token');
  const account = context.get(accountContext);
  const outcome = await verifyEmail(
    await database(),
    { token: typeof token === 'string' ? token : '' },
    await domainNow(),
  );
  if (!outcome.ok && !isDone(outcome.code, account)) return refused(outcome.code, account);
  const headers = cookieHeaders(
    outcome.ok && account?.id === outcome.userId
      ? await renewSession(request, { userId: outcome.userId, isProof: false })
      : [],
  );
  const message = { type: 'success', title: 'auth.verify.doneTitle', body: 'auth.verify.doneText' } as const;
  return redirectWithToast(account ? '/dashboard' : '/auth/signin', message, headers);
}

function Confirm({ email, token }: { email: string; token: string }) {
  const { t } = useTranslation();
  return (
    <AuthShell title={t('recovery.confirm.title')} lede={t('recovery.confirm.text', { email })}>
      {/* The address keeps its token, so that after a refusal the page below still belongs to the link. */}
      <Form method="post">
        <input type="hidden" name="token" value={token} />
        <SubmitButton size="large" wide>
          {t('recovery.confirm.act')}
        </SubmitButton>
      </Form>
    </AuthShell>
  );
}

export default function Verify({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const facts: Facts = actionData ?? loaderData;
  if (facts.kind === 'waiting') return <VerifyNotice email={facts.email} />;
  if (facts.kind === 'confirm') return <Confirm email={facts.email} token={facts.token} />;
  const { isSignedIn } = facts;
  return (
    <AuthShell title={t('auth.verify.failedTitle')}>
      <Callout type="danger">
        <p>
          <ErrorText error={facts.error} />
        </p>
      </Callout>
      <ButtonLink kind="primary" size="large" wide to={isSignedIn ? '/email/unverified' : '/auth/signin'}>
        {isSignedIn ? t('auth.verify.toUnverified') : t('auth.verify.toSignin')}
      </ButtonLink>
    </AuthShell>
  );
}
