import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { isId } from '#domain/kernel/id.ts';
import type { Route } from './+types/public-name.ts';

export const loader = () => redirect('/settings');

/**
 * Hides the user's name on public pages or shows it. An unchecked box is not sent, and shows it. `win` is the reward on
 * whose page it was chosen.
 */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const hidesName = form.get('hides_name') === 'on';
  await setPreferences(await database(), { userId, preferences: { hidesName } });
  const win = String(form.get('win') ?? '');
  return redirectWithToast(isId(win) ? `/wins/${win}` : '/settings', {
    type: 'success',
    title: 'settings.saved',
  });
}
