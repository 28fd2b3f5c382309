import { data } from 'react-router';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { waitHeaders } from '#app/http/retry-after.server.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { requireAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit, tooManyText } from '#app/services/forms/form-reply.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { longestWait, waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { resendVerification } from '#domain/identity/email/resend-verification.ts';
import type { Route } from './+types/unverified.ts';
import { VerifyNotice } from './verify-notice.tsx';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

export async function loader({ context }: Route.LoaderArgs) {
  const { email } = await requireAccount(context);
  return { email };
}

/** Sends the verification email again. */
export async function action({ context }: Route.ActionArgs) {
  const { id: userId } = await requireAccount(context);
  const address = context.get(clientAddressContext);
  const wait =
    (await longestWait({ resendByAccount: userId, resendByAddress: address })) ||
    (await waitSeconds('resendInADay', userId));
  if (wait > 0) return data({ error: tooManyText(wait) }, tooManyInit(wait));
  const outcome = await resendVerification(await database(), { userId }, await domainNow());
  if (!outcome.ok)
    return redirectWithToast('/dashboard', { type: 'info', title: accountRefusals[outcome.code].key });
  nudgeBot();
  return redirectWithToast('/email/unverified', { type: 'success', title: 'messages.verificationSent' });
}

export default function Unverified({ loaderData, actionData }: Route.ComponentProps) {
  return <VerifyNotice email={loaderData.email} error={actionData?.error} />;
}
