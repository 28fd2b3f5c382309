import { getAccount } from '#domain/account/get-account.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { database } from './database.server.ts';
import { saveLanguage, saveTheme, themeOf } from './preferences.server.ts';
import { startSession } from './session.server.ts';

/** Signs a browser in and applies the account's language and theme to it. */
export const enter = async (request: Request, userId: string): Promise<Headers> =>
  adoptPreferences(await startSession(request, userId), userId);

/**
 * Response headers for a browser whose session has just begun with `cookie`: that, and the account's language and
 * theme.
 */
export async function adoptPreferences(cookie: string, userId: string): Promise<Headers> {
  const headers = new Headers({ 'Set-Cookie': cookie });
  const account = await getAccount(await database(), { userId });
  if (!account) return headers;
  headers.append('Set-Cookie', await saveLanguage(account.locale));
  headers.append('Set-Cookie', await saveTheme(account.theme));
  return headers;
}

/** Signs in a browser that has just created an account, and keeps the theme chosen before. */
export async function enterAnew(request: Request, userId: string): Promise<Headers> {
  const theme = await themeOf(request);
  await setPreferences(await database(), { userId, preferences: { theme } });
  return new Headers({ 'Set-Cookie': await startSession(request, userId) });
}
