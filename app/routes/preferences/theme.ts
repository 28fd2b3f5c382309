import { data, redirect } from 'react-router';
import { isTheme } from '#app/components/surroundings.tsx';
import { themeCookie } from '#app/services/preferences.server.ts';
import { safePath } from '#app/services/safe-redirect.server.ts';
import type { Route } from './+types/theme.ts';

export const loader = () => redirect('/');

/** Keeps the chosen theme in a cookie and goes back to the page where it was chosen. */
export async function action({ request }: Route.ActionArgs) {
  const form = await request.formData();
  const theme = form.get('theme');
  if (!isTheme(theme)) throw data(null, { status: 400 });
  return redirect(safePath(form.get('to')), {
    headers: { 'Set-Cookie': await themeCookie.serialize(theme) },
  });
}
