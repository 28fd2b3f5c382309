import { useTranslation } from 'react-i18next';
import { data, redirect } from 'react-router';
import { AuthShell } from '#app/components/auth-shell.tsx';
import { ButtonLink } from '#app/components/button.tsx';
import { Callout } from '#app/components/callout.tsx';
import { VerifyNotice } from '#app/components/verify-notice.tsx';
import { requireAccount } from '#app/middleware/guards.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/refusals.server.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import type { Route } from './+types/verify.ts';

/** With the token of a mail: verifies, signed in or not. Without one: the page for who has yet to open that mail. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const token = new URL(request.url).searchParams.get('token');
  if (token === null) {
    const { email, verified } = await requireAccount(context);
    if (verified) throw redirect('/dashboard');
    return { kind: 'waiting' as const, email };
  }
  const account = context.get(accountContext);
  const isSignedIn = account !== null;
  const outcome = await verifyEmail(await database(), { token }, await domainNow());
  // Who opens the same link again is verified all the same.
  if (outcome.ok || (outcome.code === 'verificationUsed' && account?.verified))
    return { kind: 'verified' as const, isSignedIn };
  const { status, key } = accountRefusals[outcome.code];
  return data({ kind: 'failed' as const, isSignedIn, error: key }, { status });
}

export default function Verify({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  if (loaderData.kind === 'waiting') return <VerifyNotice email={loaderData.email} />;
  const { isSignedIn } = loaderData;
  if (loaderData.kind === 'verified') {
    return (
      <AuthShell title={t('auth.verify.doneTitle')} lede={t('auth.verify.doneText')}>
        <ButtonLink kind="primary" size="large" wide to={isSignedIn ? '/dashboard' : '/auth/signin'}>
          {isSignedIn ? t('auth.verify.toDashboard') : t('auth.verify.toSignin')}
        </ButtonLink>
      </AuthShell>
    );
  }
  return (
    <AuthShell title={t('auth.verify.failedTitle')}>
      <Callout type="danger">
        <p>{t(loaderData.error)}</p>
      </Callout>
      <ButtonLink kind="primary" size="large" wide to={isSignedIn ? '/email/unverified' : '/auth/signin'}>
        {isSignedIn ? t('auth.verify.toUnverified') : t('auth.verify.toSignin')}
      </ButtonLink>
    </AuthShell>
  );
}
