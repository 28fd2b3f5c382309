import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { clearPasswordLimits, countPassword } from '#app/services/limits/password-limits.server.ts';
import type { TooManyAttempts } from '#app/services/limits/proof-limits.server.ts';
import { clearLimit, waitSeconds as countedWait, here } from '#app/services/limits/rate-limits.server.ts';
import { knownDevice } from '#app/services/sign-in/known-device.server.ts';
import { proveWithinLimits } from '#app/services/sign-in/proof-form.server.ts';
import { arrivingBrowser } from '#app/services/sign-in/session.server.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import type { SecondFactorProof } from '#domain/identity/second-factor/prove-second-factor.ts';
import type { Admission } from '#domain/identity/session/admit-browser.ts';
import { completeSignIn, findPendingSignIn } from '#domain/identity/session/complete-sign-in.ts';
import { signIn } from '#domain/identity/session/sign-in.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

/**
 * Signs a browser in by address and password, up to a second step if there is one. Above the limits of its
 * network address the password is not checked (see `countPassword`); a browser that signed in to this account
 * before has attempts of its own, so that somebody who guesses behind the same address does not keep its
 * owner out.
 */
export async function signInByPassword(
  request: Request,
  input: { email: string; password: string },
  clientAddress: string,
): Promise<Outcome<Admission, 'wrongCredentials'> | TooManyAttempts> {
  const account = emailAddress(input.email);
  const place = { account, address: clientAddress };
  const device = await knownDevice(request, account);
  const waitSeconds =
    device === null
      ? await countPassword('signIn', place)
      : await countedWait('signInByDevice', here(account, device));
  if (waitSeconds > 0) return { ok: false, code: 'tooManyTries', waitSeconds, limit: 'here' };
  const browser = await arrivingBrowser(request, 'password');
  const outcome = await signIn(await database(), { ...input, ...browser }, await domainNow());
  if (!outcome.ok) return outcome;
  await clearPasswordLimits('signIn', place);
  if (device !== null) await clearLimit('signInByDevice', here(account, device));
  return outcome;
}

/** Completes a sign-in that waits for its second factor. Above the limits of attempts none is checked. */
export async function completeByProof(
  request: Request,
  { pendingToken, proof }: { pendingToken: string; proof: SecondFactorProof },
  clientAddress: string,
): Promise<
  Outcome<Extract<Admission, { step: 'done' }>, 'signInExpired' | 'secondFactorWrong'> | TooManyAttempts
> {
  const db = await database();
  const nowMs = await domainNow();
  const pending = await findPendingSignIn(db.read, { pendingToken }, nowMs);
  if (!pending) return refuse('signInExpired');
  const { userId } = pending;
  const browser = await arrivingBrowser(request, 'secondFactor');
  const outcome = await proveWithinLimits({ userId, proof }, clientAddress, () =>
    completeSignIn(db, { pendingToken, ...proof, ...browser }, { nowMs, systemMs: Date.now() }),
  );
  return outcome.ok ? done({ userId, step: 'done', token: outcome.token }) : outcome;
}
