import { data, redirect } from 'react-router';
import { confirmPage, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { confirmedContext } from '#app/middleware/session.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { sendDelays, setSendDelay } from '#domain/identity/send-delay.ts';
import type { Route } from './+types/send-delay.ts';

const place = '/settings#send-delay';

export const loader = () => redirect(place);

/**
 * Chooses how long new rules hold back their items. For a shorter time the user has to prove who they are.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const chosen = (await request.formData()).get('hours');
  const hours = sendDelays.find((each) => String(each) === chosen);
  if (hours === undefined) throw data(null, { status: 400 });
  const isConfirmed = context.get(confirmedContext);
  const outcome = await setSendDelay(await database(), { userId, hours, isConfirmed }, await domainNow());
  if (!outcome.ok) return redirect(confirmPage(place));
  return redirectWithToast(place, {
    type: 'success',
    title: outcome.next ? 'settings.sendDelay.later' : 'settings.saved',
  });
}
