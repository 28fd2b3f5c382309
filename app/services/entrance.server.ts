import { redirect } from 'react-router';
import { getAccount } from '#domain/account/get-account.ts';
import { type Admission, admitBrowser } from '#domain/account/session/admit-browser.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { domainNow } from './clock.server.ts';
import { database } from './database.server.ts';
import { saveLanguage, saveTheme, themeOf } from './preferences.server.ts';
import { savePendingSignIn, secondStepPage } from './second-step.server.ts';
import { browserOf, saveSession, startSession } from './session.server.ts';

/** Where a browser goes on after its user proved the first factor, and what it is given. */
export interface Entrance {
  to: string;
  headers: Headers;
}

/** Admits a browser to `to`: with a session and the account's language and theme, or to the second step before that. */
export async function enter(admission: Admission, to: string): Promise<Entrance> {
  if (admission.step === 'done')
    return { to, headers: await adoptPreferences(await saveSession(admission.token), admission.userId) };
  const headers = new Headers({ 'Set-Cookie': await savePendingSignIn(admission.pendingToken) });
  return { to: secondStepPage(to), headers };
}

/** The same as a response, with a cookie that remembers the browser. */
export async function redirectEntrance(
  admission: Admission,
  to: string,
  deviceCookie: string,
): Promise<Response> {
  const entrance = await enter(admission, to);
  entrance.headers.append('Set-Cookie', deviceCookie);
  return redirect(entrance.to, { headers: entrance.headers });
}

/** Admits the browser of a request whose user proved the first factor elsewhere. */
export const admitRequest = async (request: Request, userId: string): Promise<Admission> =>
  admitBrowser(await database(), { ...(await browserOf(request)), userId }, await domainNow());

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
export async function enterAsNewUser(request: Request, userId: string): Promise<Headers> {
  const theme = await themeOf(request);
  await setPreferences(await database(), { userId, preferences: { theme } });
  return new Headers({ 'Set-Cookie': await startSession(request, userId) });
}
