import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import type { Route } from './+types/notifications.ts';

export const loader = () => redirect('/settings');

/** Turns email notifications on or off. An unchecked box is not sent, which means off. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const notifyByMail = (await request.formData()).get('notify_by_mail') === 'on';
  await setPreferences(await database(), { userId, preferences: { notifyByMail } });
  return redirectWithToast('/settings', { type: 'success', title: 'settings.saved' });
}
