import { redirect } from 'react-router';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { sessionToken } from '#app/services/sign-in/session.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { beginAuthenticator } from '#domain/identity/second-factor/begin-authenticator.ts';
import type { Route } from './+types/begin-authenticator.ts';

const page = '/profile/second-factor/app';

export const loader = () => redirect(page);

/** Makes a secret, which the next page shows as a QR code. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  requireConfirmed(context, page);
  const currentToken = (await sessionToken(request)) ?? '';
  const outcome = await beginAuthenticator(await database(), { userId, currentToken }, await domainNow());
  if (outcome.ok) return redirect(page);
  const title = accountRefusals[outcome.code].key;
  return redirectWithToast('/profile/second-factor', { type: 'info', title });
}
