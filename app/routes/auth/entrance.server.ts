import { savePendingSignIn, secondStepPage } from '#app/routes/auth/second-step.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { saveLanguage, saveTheme, themeOf } from '#app/services/preferences.server.ts';
import { rememberDevice } from '#app/services/sign-in/known-device.server.ts';
import { arrivingBrowser, saveSession, startSession } from '#app/services/sign-in/session.server.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { setPreferences } from '#domain/account/set-preferences.ts';
import { type Admission, admitBrowser } from '#domain/identity/session/admit-browser.ts';

/** The page that a browser goes on to after its user proved the first factor, and the cookies it gets. */
export interface Entrance {
  to: string;
  headers: Headers;
}

/**
 * Admits the browser of a request to `to`: with a session and the account's language and theme, or to the second step
 * before that. With the session the account knows the browser.
 */
export async function enter(request: Request, admission: Admission, to: string): Promise<Entrance> {
  const headers = new Headers();
  const isDone = admission.step === 'done';
  headers.append(
    'Set-Cookie',
    isDone ? await saveSession(admission.token) : await savePendingSignIn(admission.pendingToken),
  );
  if (isDone) {
    await adoptPreferences(headers, admission.userId);
    await rememberDevice(request, admission.userId, headers);
  }
  return { to: isDone ? to : secondStepPage(to), headers };
}

/**
 * Admits the browser of a request whose user signed in at Twitch. Without `isProof` Twitch may have answered
 * for a browser that is still signed in there, whoever uses it, and the session is not confirmed.
 */
export const admitRequest = async (
  request: Request,
  { userId, isProof }: { userId: string; isProof: boolean },
): Promise<Admission> =>
  admitBrowser(
    await database(),
    { ...(await arrivingBrowser(request, 'twitch')), userId, isProof },
    await domainNow(),
  );

/** Adds the account's language and theme for a browser whose session has just begun. */
async function adoptPreferences(headers: Headers, userId: string): Promise<void> {
  const account = await getAccount(await database(), { userId });
  if (!account) return;
  headers.append('Set-Cookie', await saveLanguage(account.locale));
  headers.append('Set-Cookie', await saveTheme(account.theme));
}

/** Signs in a browser that has just created an account, and keeps the theme chosen before. */
export async function enterAsNewUser(
  request: Request,
  { userId, isProof }: { userId: string; isProof: boolean },
): Promise<Headers> {
  const theme = await themeOf(request);
  await setPreferences(await database(), { userId, preferences: { theme } });
  const headers = new Headers({ 'Set-Cookie': await startSession(request, { userId, isProof }) });
  await rememberDevice(request, userId, headers);
  return headers;
}
