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
import { newEmailConstraint, sendToNewEmail } from '#app/services/sign-in/new-email.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { findPendingEmail } from '#domain/identity/email/find-pending-email.ts';
import { resendVerification } from '#domain/identity/email/resend-verification.ts';
import type { Route } from './+types/unverified.ts';
import { OtherAddress } from './other-address.tsx';
import { VerifyNotice } from './verify-notice.tsx';

export const headers = waitHeaders;

export const handle: PageHandle = { plain: true };

export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId, email, hasPassword } = await requireAccount(context);
  const pending = await findPendingEmail(await database(), { userId }, await domainNow());
  return { email, pending, hasPassword, constraint: newEmailConstraint(hasPassword) };
}

/** Sends the verification email again; or, with another address, a link to that one in place of a mistyped one. */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireAccount(context);
  const { id: userId, verified } = account;
  const address = context.get(clientAddressContext);
  const form = await request.formData();
  if (form.has('other') && !verified) {
    const next = { to: '/email/unverified', body: 'identity.email.sentInstead' } as const;
    return sendToNewEmail(form, { account, address }, next);
  }
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
  const { email, pending } = loaderData;
  const error = actionData && 'error' in actionData ? actionData.error : undefined;
  const result = actionData && 'result' in actionData ? actionData.result : undefined;
  return (
    <VerifyNotice email={pending ?? email} error={error} canResend={pending === null}>
      <OtherAddress {...loaderData} result={result} />
    </VerifyNotice>
  );
}
