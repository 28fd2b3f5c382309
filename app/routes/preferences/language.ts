import { data, redirect } from 'react-router';
import { isLanguage } from '#app/locales/languages.ts';
import { languageCookie } from '#app/services/preferences.server.ts';
import { safePath } from '#app/services/safe-redirect.server.ts';
import type { Route } from './+types/language.ts';

export const loader = () => redirect('/');

/** Keeps the chosen language in a cookie and goes back to the page where it was chosen. */
export async function action({ request }: Route.ActionArgs) {
  const form = await request.formData();
  const language = form.get('language');
  if (!isLanguage(language)) throw data(null, { status: 400 });
  return redirect(safePath(form.get('to')), {
    headers: { 'Set-Cookie': await languageCookie.serialize(language) },
  });
}
