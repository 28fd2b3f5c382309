import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import type { Route } from './+types/notifications.ts';
import { listWantedMails } from './wanted-mails.server.ts';

export const loader = () => redirect('/settings');

/**
 * Chooses which notifications are mailed. An unchecked box is not sent, which means off; that of a kind which the
 * plan leaves out cannot be checked, and its choice stays.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const account = await requireVerifiedAccount(context);
  const db = await database();
  const checked = (await request.formData()).getAll('mail');
  const mails = await listWantedMails(db, account, await domainNow());
  const muted = mails.filter((mail) => !(mail.needsPlan ? mail.wanted : checked.includes(mail.kind)));
  const preferences = {
    notifyByMail: muted.length < mails.length,
    mutedMails: muted.map(({ kind }) => kind),
  };
  await setPreferences(db, { userId: account.id, preferences });
  return redirectWithToast('/settings', { type: 'success', title: 'settings.saved' });
}
