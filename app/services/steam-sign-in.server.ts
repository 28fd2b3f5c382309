import { randomBytes } from 'node:crypto';
import { createCookie } from 'react-router';
import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { consumeOpenIdNonce } from '#domain/account/steam/consume-open-id-nonce.ts';
import { type Outcome, refuse } from '#domain/outcome.ts';
import { database } from './database.server.ts';
import { type SteamSignInCode, steamSignInUrl, verifySteamAnswer } from './steam-open-id.server.ts';

const AttemptSchema = z.object({ state: z.string().min(1), userId: z.string() });

function attemptCookie() {
  return createCookie('keepsake_steam', {
    path: '/steam',
    sameSite: 'lax',
    httpOnly: true,
    secure: config().secure,
    secrets: [config().sessionSecret],
    maxAge: 10 * 60,
  });
}

/** Steam has no state parameter: ours is part of the return address, which Steam signs. */
function returnToFor(state: string): string {
  const url = new URL('/steam/callback', config().publicUrl);
  url.searchParams.set('state', state);
  return url.href;
}

/** The address that proves which Steam account belongs to the user, and the Set-Cookie value for the answer. */
export async function startSteamSignIn(userId: string): Promise<{ url: string; setCookie: string }> {
  const state = randomBytes(24).toString('base64url');
  const url = steamSignInUrl(config().steam.openidUrl, {
    realm: config().publicUrl.origin,
    returnTo: returnToFor(state),
  });
  return { url, setCookie: await attemptCookie().serialize({ state, userId }) };
}

/** The returned Steam account, if the answer belongs to what this browser and this user started. */
export async function finishSteamSignIn(
  request: Request,
  userId: string,
): Promise<Outcome<{ steamId: string }, SteamSignInCode>> {
  const attempt = AttemptSchema.safeParse(await attemptCookie().parse(request.headers.get('Cookie')));
  if (!attempt.success || attempt.data.userId !== userId) return refuse('notStartedHere');
  const db = await database();
  const nowMs = Date.now();
  return verifySteamAnswer(new URL(request.url), {
    endpoint: config().steam.openidUrl,
    returnTo: returnToFor(attempt.data.state),
    nowMs,
    spendNonce: async (nonce) => (await consumeOpenIdNonce(db, { nonce }, nowMs)).ok,
  });
}

/** The Set-Cookie value that deletes the pending sign-in: an answer is used once. */
export const clearSteamAttempt = (): Promise<string> => attemptCookie().serialize('', { maxAge: 0 });
