import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { mailKinds } from '#domain/outbox/mail-kinds.ts';
import type { Route } from './+types/notifications.ts';

export const loader = () => redirect('/settings');

/** Chooses which notifications are mailed. An unchecked box is not sent, which means off. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const wanted = (await request.formData()).getAll('mail');
  const mutedMails = mailKinds.filter((kind) => !wanted.includes(kind));
  const notifyByMail = mutedMails.length < mailKinds.length;
  await setPreferences(await database(), { userId, preferences: { notifyByMail, mutedMails } });
  return redirectWithToast('/settings', { type: 'success', title: 'settings.saved' });
}
