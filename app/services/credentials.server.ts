import { emailAddress } from '#domain/account/email-address.ts';
import { signIn } from '#domain/account/sign-in.ts';
import type { Outcome } from '#domain/outcome.ts';
import { database } from './database.server.ts';
import { clearTries, longestWait } from './rate-limits.server.ts';

/** Too many tries of late: none is looked at for so many seconds. */
export type TooManyTries = { ok: false; code: 'tooManyTries'; waitSeconds: number };

/** Recognises a person by address and password; too many tries for one account or from one place are not looked at. */
export async function checkCredentials(
  input: { email: string; password: string },
  clientAddress: string,
): Promise<Outcome<{ userId: string }, 'wrongCredentials'> | TooManyTries> {
  const account = emailAddress(input.email);
  const waitSeconds = await longestWait({ signInByAddress: clientAddress, signInByAccount: account });
  if (waitSeconds > 0) return { ok: false, code: 'tooManyTries', waitSeconds };
  const outcome = await signIn(await database(), input);
  if (outcome.ok) await clearTries('signInByAccount', account);
  return outcome;
}
