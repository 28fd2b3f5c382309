import { data, redirect } from 'react-router';
import { isTheme } from '#app/components/shell/page-context.tsx';
import { accountContext } from '#app/middleware/session.server.ts';
import { database } from '#app/services/database.server.ts';
import { saveTheme } from '#app/services/preferences.server.ts';
import { safePath } from '#app/services/sign-in/safe-redirect.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import type { Route } from './+types/theme.ts';

export const loader = () => redirect('/');

/** Stores the chosen theme in a cookie, and in the signed-in user's account, then returns to the previous page. */
export async function action({ request, context }: Route.ActionArgs) {
  const form = await request.formData();
  const theme = form.get('theme');
  if (!isTheme(theme)) throw data(null, { status: 400 });
  const account = context.get(accountContext);
  if (account) await setPreferences(await database(), { userId: account.id, preferences: { theme } });
  const headers = new Headers({ 'Set-Cookie': await saveTheme(theme) });
  const to = safePath(form.get('to'));
  return form.has('saved')
    ? redirectWithToast(to, { type: 'success', title: 'settings.saved' }, headers)
    : redirect(to, { headers });
}
