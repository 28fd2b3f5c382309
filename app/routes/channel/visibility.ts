import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import type { Route } from './+types/visibility.ts';

export const loader = () => redirect('/channel');

/** Shows the user's channel to everyone or hides it. An unchecked box is not sent, and hides it. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const hidden = (await request.formData()).get('public') !== 'on';
  const outcome = await setChannelHidden(await database(), { userId, hidden }, await domainNow());
  return redirectWithToast(
    '/channel',
    outcome.ok
      ? { type: 'success', title: 'channel.saved' }
      : { type: 'danger', title: 'errors.account.twitchNotLinked' },
  );
}
