import { randomBytes } from 'node:crypto';
import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { createCookie } from 'react-router';
import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import type { TooManyAttempts } from '#app/services/limits/proof-limits.server.ts';
import { waitSeconds as countedWait } from '#app/services/limits/rate-limits.server.ts';
import { arrivingBrowser } from '#app/services/sign-in/session.server.ts';
import type { PasskeySite } from '#domain/identity/second-factor/passkeys/passkey-answer.ts';
import { CHALLENGE_LIFETIME_MS } from '#domain/identity/second-factor/passkeys/passkey-challenge.ts';
import type { Admission } from '#domain/identity/session/admit-browser.ts';
import { signInByPasskey } from '#domain/identity/session/sign-in-by-passkey.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { second } from '#domain/kernel/time.ts';

const ChallengeSchema = z.object({ challenge: z.string(), endsAtMs: z.number() });

// Stores the challenge in the browser that asked for it: opening the page writes nothing to the database, and
// another browser cannot answer.
function challengeCookie() {
  return createCookie(config().secure ? '__Host-keepsake_passkey' : 'keepsake_passkey', {
    path: '/',
    sameSite: 'lax',
    httpOnly: true,
    secure: config().secure,
    secrets: [config().sessionSecret],
    maxAge: CHALLENGE_LIFETIME_MS / second,
  });
}

/** Asks a browser for any passkey of this site that can name its account, with the Set-Cookie value that belongs to it. */
export async function askForAnyPasskey({ rpId }: PasskeySite) {
  const challenge = randomBytes(32).toString('base64url');
  const options = { challenge, rpId, userVerification: 'required', timeout: CHALLENGE_LIFETIME_MS };
  const cookie = await challengeCookie().serialize({
    challenge,
    endsAtMs: Date.now() + CHALLENGE_LIFETIME_MS,
  });
  return { options, cookie };
}

/** The Set-Cookie value that deletes the challenge. */
export const clearPasskeyChallenge = (): Promise<string> => challengeCookie().serialize('', { maxAge: 0 });

async function challengeOf(request: Request): Promise<string | null> {
  const value: unknown = await challengeCookie().parse(request.headers.get('Cookie'));
  const { data } = ChallengeSchema.safeParse(value);
  return data && data.endsAtMs > Date.now() ? data.challenge : null;
}

/** Signs a browser in by a passkey alone, within the limits of its network address. */
export async function enterByPasskey(
  request: Request,
  { response, site }: { response: AuthenticationResponseJSON; site: PasskeySite },
  clientAddress: string,
): Promise<Outcome<Extract<Admission, { step: 'done' }>, 'passkeyRefused'> | TooManyAttempts> {
  const waitSeconds = await countedWait('signInByAddress', clientAddress);
  if (waitSeconds > 0) return { ok: false, code: 'tooManyTries', waitSeconds, limit: 'here' };
  const challenge = await challengeOf(request);
  if (challenge === null) return refuse('passkeyRefused');
  const answer = { response, challenge, site, ...(await arrivingBrowser(request, 'passkey')) };
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  const outcome = await signInByPasskey(await database(), answer, times);
  return outcome.ok ? done({ userId: outcome.userId, step: 'done', token: outcome.token }) : outcome;
}
