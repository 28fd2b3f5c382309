import { config } from '#app/config.server.ts';
import { ownCookie } from '#app/http/own-cookie.server.ts';
import { database } from '#app/services/database.server.ts';
import { isOwnFlow, type SignInFlow, sealFlow } from '#app/services/sign-in/sign-in-flow.server.ts';
import {
  type SteamSignInCode,
  steamSignInUrl,
  verifySteamAnswer,
} from '#app/services/sign-in/steam-open-id.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { consumeOpenIdNonce } from '#domain/account/steam/consume-open-id-nonce.ts';
import { type Outcome, refuse } from '#domain/kernel/outcome.ts';

/** Ties an answer to the browser that began; the state says for what. */
const attemptCookie = () => ownCookie('keepsake_steam', { maxAge: 10 * 60, isSigned: true });

/** Steam has no state parameter: ours is part of the return address, which Steam signs. */
function returnToFor(state: string): string {
  const url = new URL('/steam/callback', config().publicUrl);
  url.searchParams.set('state', state);
  return url.href;
}

/** The address that proves which Steam account belongs to the user, and the Set-Cookie value for the answer. */
export async function startSteamSignIn(flow: SignInFlow): Promise<{ url: string; setCookie: string }> {
  const state = sealFlow(flow);
  const url = steamSignInUrl(config().steam.openidUrl, {
    realm: config().publicUrl.origin,
    returnTo: returnToFor(state),
  });
  return { url, setCookie: await attemptCookie().serialize(state) };
}

/**
 * Returns the Steam account in the answer, if that belongs to a flow that this browser and this session
 * started.
 */
export async function finishSteamSignIn(
  request: Request,
  { flow, account }: { flow: SignInFlow | null; account: Account },
): Promise<Outcome<{ steamId: string }, SteamSignInCode>> {
  const state: unknown = await attemptCookie().parse(request.headers.get('Cookie'));
  const isOwn = flow?.purpose === 'steam' && (await isOwnFlow(flow, request, account));
  if (typeof state !== 'string' || !isOwn) return refuse('notStartedHere');
  const db = await database();
  const nowMs = Date.now();
  return verifySteamAnswer(new URL(request.url), {
    endpoint: config().steam.openidUrl,
    returnTo: returnToFor(state),
    nowMs,
    spendNonce: async (nonce) => (await consumeOpenIdNonce(db, { nonce }, nowMs)).ok,
  });
}

/** The Set-Cookie value that deletes the pending sign-in: an answer is used once. */
export const clearSteamAttempt = (): Promise<string> => attemptCookie().serialize('', { maxAge: 0 });
