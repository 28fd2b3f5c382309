import { emailAddress } from '#domain/account/email/email-address.ts';
import { signIn } from '#domain/account/session/sign-in.ts';
import type { Outcome } from '#domain/outcome.ts';
import { domainNow } from './clock.server.ts';
import { database } from './database.server.ts';
import { clearSignInLimits, waitSeconds as countedWait, here, longestWait } from './rate-limits.server.ts';
import { browserOf, saveSession } from './session.server.ts';

/** Too many attempts: none is accepted for this number of seconds. */
export type TooManyAttempts = { ok: false; code: 'tooManyTries'; waitSeconds: number };

/**
 * Signs a browser in by address and password, and returns the Set-Cookie value. Above the limit of one network address, or
 * of one account from there, the password is not checked. Guesses from elsewhere never keep the owner out: while there
 * are many, each network address has fewer tries for this account, but a fresh one always has some.
 */
export async function signInByPassword(
  request: Request,
  input: { email: string; password: string },
  clientAddress: string,
): Promise<Outcome<{ userId: string; cookie: string }, 'wrongCredentials'> | TooManyAttempts> {
  const account = emailAddress(input.email);
  const place = here(account, clientAddress);
  const isGuessed = (await countedWait('signInByAccount', account)) > 0;
  const waitSeconds = await longestWait({
    signInByAddress: clientAddress,
    signInHere: place,
    ...(isGuessed && { signInWhileGuessed: place }),
  });
  if (waitSeconds > 0) return { ok: false, code: 'tooManyTries', waitSeconds };
  const browser = await browserOf(request);
  const outcome = await signIn(await database(), { ...input, ...browser }, await domainNow());
  if (!outcome.ok) return outcome;
  await clearSignInLimits(account, clientAddress);
  return { ok: true, userId: outcome.userId, cookie: await saveSession(outcome.token) };
}
