import { z } from 'zod';
import { sessionReplacedContext } from '#app/middleware/session.server.ts';
import { emailField, knownPasswordField, requiredText } from '#app/services/forms/form-fields.server.ts';
import { accountRefusals, twitchRefusals } from '#app/services/forms/refusals.server.ts';
import { completeByProof, signInByPassword } from '#app/services/sign-in/credentials.server.ts';
import { codeField } from '#app/services/sign-in/proof-form.server.ts';
import {
  finishSession,
  renewSession,
  saveSession,
  sessionToken,
  startSession,
} from '#app/services/sign-in/session.server.ts';
import { twitchFlow } from '#app/services/sign-in/sign-in-flow.server.ts';
import { startTwitchSignIn } from '#app/services/sign-in/twitch-sign-in.server.ts';
import type { Database } from '#db/database.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { redeemExtensionCode } from '#domain/identity/access/redeem-extension-code.ts';
import { revokeApiToken } from '#domain/identity/access/revoke-api-token.ts';
import { getSecondFactor } from '#domain/identity/second-factor/get-second-factor.ts';
import { csrfCookie, csrfCookieFor } from '../csrf.server.ts';
import { endpoint } from '../endpoint.ts';
import { commonFaults, type FaultText, failWith } from '../failure.ts';
import { requireAttempts, tooMany } from '../limits.server.ts';
import { userResource } from '../present.server.ts';
import { apiTokens, twitchSignIns, users } from '../resources.ts';
import { accountsIncluded, base, some } from './fields.ts';

/** Signs the caller's browser in to the account that it has just made, and returns the user with the session cookies. */
export const enter = async (request: Request, db: Database, userId: string) =>
  greet(db, { userId, cookie: await startSession(request, { userId, isProof: true }) });

/** The cookies of the caller's session with a new token. */
export async function renewCookies(
  request: Request,
  userId: string,
  { isProof }: { isProof: boolean },
): Promise<string[]> {
  const [cookie] = await renewSession(request, { userId, isProof });
  return cookie === undefined ? [] : [cookie, await csrfCookieFor(cookie)];
}

async function greet(db: Database, { userId, cookie }: { userId: string; cookie: string }) {
  const account = await getAccount(db, { userId });
  if (!account) throw new Error(`no user ${userId}`);
  return { data: userResource(account), cookies: [cookie, await csrfCookieFor(cookie)] };
}

/** An account without an app can only send a recovery code: passkeys need a browser. */
async function neededOf(db: Database, { userId }: { userId: string }): Promise<FaultText | undefined> {
  const { authenticatorAtMs } = await getSecondFactor(db.read, { userId });
  return authenticatorAtMs === null ? { key: 'errors.account.passkeyNeeded' } : undefined;
}

const { sessionReplaced } = commonFaults;

export const sessionEndpoints = [
  endpoint({
    method: 'GET',
    path: '/sanctum/csrf-cookie',
    name: 'getCsrfCookie',
    access: 'anyone',
    async handle({ request }) {
      return { data: null, cookies: [csrfCookie(await sessionToken(request))] };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/login`,
    name: 'signIn',
    access: 'anyone',
    body: {
      type: 'sessions',
      attributes: z.strictObject({
        email: emailField,
        password: knownPasswordField,
        code: codeField.optional(),
      }),
    },
    includes: accountsIncluded,
    answers: { data: 'one', of: [users] },
    refuses: some(accountRefusals, 'wrongCredentials', 'secondFactorNeeded', 'secondFactorWrong'),
    async handle({ request, db, body, address, refuse }) {
      const first = await signInByPassword(request, body, address);
      const outcome =
        first.ok && first.step === 'secondFactor' && body.code !== undefined
          ? await completeByProof(
              request,
              { pendingToken: first.pendingToken, proof: { code: body.code } },
              address,
            )
          : first;
      if (!outcome.ok && outcome.code === 'tooManyTries') throw tooMany(outcome.waitSeconds);
      if (!outcome.ok) return refuse(outcome.code === 'signInExpired' ? 'wrongCredentials' : outcome.code);
      if (outcome.step !== 'done') return refuse('secondFactorNeeded', 'code', await neededOf(db, outcome));
      return greet(db, { userId: outcome.userId, cookie: await saveSession(outcome.token) });
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/logout`,
    name: 'signOut',
    access: 'signedIn',
    async handle({ request, db, account, proof }) {
      if (proof.by === 'token') {
        await revokeApiToken(db, { userId: account.id, tokenId: proof.tokenId });
        return { data: null };
      }
      return { data: null, cookies: [await finishSession(request), csrfCookie(null)] };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/register/twitch`,
    name: 'startTwitchSignIn',
    access: 'anyone',
    body: {
      type: 'twitch-sign-ins',
      attributes: z.strictObject({ permissions: z.enum(['viewer', 'streamer']).default('viewer') }),
    },
    answers: { data: 'one', of: [twitchSignIns] },
    refuses: { ...twitchRefusals, sessionReplaced },
    async handle({ request, context, account, body, requestId, refuse }) {
      // A visitor who is connecting an account must not sign up instead.
      if (!account && context.get(sessionReplacedContext)) return refuse('sessionReplaced');
      if (account && !account.verified) throw failWith('unverified');
      const flow = await twitchFlow(request, account);
      const started = await startTwitchSignIn({ permissions: body.permissions, flow });
      if (!started.ok) return refuse(started.code);
      const { headers } = started.response;
      const url = headers.get('Location') ?? '';
      return { data: twitchSignIns.of(requestId, { url }), cookies: headers.getSetCookie() };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${base}/extension/token`,
    name: 'redeemExtensionCode',
    access: 'anyone',
    body: {
      type: 'api-tokens',
      attributes: z.strictObject({ code: requiredText(40), device: requiredText(60) }),
    },
    answers: { status: 201, data: 'one', of: [apiTokens] },
    refuses: some(accountRefusals, 'extensionCodeUnknown', 'tooManyTokens'),
    async handle({ db, nowMs, body, address, refuse }) {
      await requireAttempts({ signInByAddress: address });
      const outcome = await redeemExtensionCode(db, body, nowMs);
      if (!outcome.ok) return refuse(outcome.code);
      return { data: apiTokens.of(outcome.tokenId, { token: outcome.token }) };
    },
  }),
];
