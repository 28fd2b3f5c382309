import { emailAddress } from '#domain/account/email-address.ts';
import { signIn } from '#domain/account/sign-in.ts';
import { type Outcome, refuse } from '#domain/outcome.ts';
import { database } from './database.server.ts';
import { clearTries, mayTry } from './rate-limits.server.ts';

/** Recognises a person by address and password; too many tries for one account or from one place are not looked at. */
export async function checkCredentials(
  input: { email: string; password: string },
  clientAddress: string,
): Promise<Outcome<{ userId: string }, 'wrongCredentials' | 'tooManyTries'>> {
  const account = emailAddress(input.email);
  const admitted =
    (await mayTry('signInByAddress', clientAddress)) && (await mayTry('signInByAccount', account));
  if (!admitted) return refuse('tooManyTries');
  const outcome = await signIn(await database(), input);
  if (outcome.ok) await clearTries('signInByAccount', account);
  return outcome;
}
