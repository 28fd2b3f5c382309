import { data } from 'react-router';
import { VerifyNotice } from '#app/components/verify-notice.tsx';
import { requireAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { mayTry } from '#app/services/rate-limits.server.ts';
import { accountRefusals } from '#app/services/refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { resendVerification } from '#domain/account/resend-verification.ts';
import type { Route } from './+types/unverified.ts';

export async function loader({ context }: Route.LoaderArgs) {
  const { email } = await requireAccount(context);
  return { email };
}

/** Sends the verification mail again. */
export async function action({ context }: Route.ActionArgs) {
  const { id: userId } = await requireAccount(context);
  if (!(await mayTry('resendByAccount', userId)))
    return data({ error: 'auth.unverified.tooMany' }, { status: 429 });
  const outcome = await resendVerification(await database(), { userId }, await domainNow());
  if (!outcome.ok)
    return redirectWithToast('/dashboard', { type: 'info', title: accountRefusals[outcome.code].key });
  nudgeBot();
  return redirectWithToast('/email/unverified', { type: 'success', title: 'messages.verificationSent' });
}

export default function Unverified({ loaderData, actionData }: Route.ComponentProps) {
  return <VerifyNotice email={loaderData.email} error={actionData?.error} />;
}
