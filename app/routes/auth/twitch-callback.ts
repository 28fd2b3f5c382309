import { redirect } from 'react-router';
import type { TextKey } from '#app/locales/translation.ts';
import { languageContext } from '#app/middleware/contexts.server.ts';
import { confirmPage, refuseUnverified, requireConfirmedToConnect } from '#app/middleware/guards.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { admitRequest, enter, enterAsNewUser } from '#app/routes/auth/entrance.server.ts';
import { secondStepPage } from '#app/routes/auth/second-step.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals, twitchRefusals } from '#app/services/forms/refusals.server.ts';
import { resultPage } from '#app/services/sign-in/link-result.server.ts';
import { cookieHeaders, saveSession, sessionToken } from '#app/services/sign-in/session.server.ts';
import { openFlow, type SignInFlow } from '#app/services/sign-in/sign-in-flow.server.ts';
import {
  clearTwitchStates,
  finishTwitchSignIn,
  revokeTwitchToken,
  type TwitchIdentity,
} from '#app/services/sign-in/twitch-sign-in.server.ts';
import { redirectWithToast, type ToastMessage } from '#app/services/toast.server.ts';
import { vault } from '#app/services/vault.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { enterByTwitch } from '#domain/account/twitch/enter-by-twitch.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { confirmByTwitch } from '#domain/identity/session/confirm-identity.ts';
import type { Route } from './+types/twitch-callback.ts';

type Context = Route.LoaderArgs['context'];
/** The result: an error code if it failed, the next page, and the message shown there. */
type Ending = {
  code: string | null;
  to: string;
  message: ToastMessage | null;
  headers?: Headers;
  /** The sign-in waits for its second factor. */
  waits?: boolean;
};

const bad = (to: string, code: string, title: TextKey): Ending => ({
  code,
  to,
  message: { type: 'danger', title },
});
const good = (to: string, title: TextKey | null, headers?: Headers): Ending => ({
  code: null,
  to,
  message: title && { type: 'success', title },
  ...(headers && { headers }),
});

/**
 * Twitch redirects here: connects the account if someone is signed in, or confirms who they are; otherwise signs in or
 * up. People who came from the companion app see the result on a page for it.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  refuseUnverified(account);
  requireConfirmedToConnect(context, account, '/auth/twitch');
  const flow = openFlow(new URL(request.url).searchParams.get('state'));
  const answer = await finishTwitchSignIn(request, { flow, account });
  const back = account ? (flow?.to ?? '/profile') : '/auth/signin';
  const ending = answer.ok
    ? await finish(request, context, { ...answer, account })
    : bad(back, answer.code, twitchRefusals[answer.code].key);
  const headers = new Headers(ending.headers);
  for (const cookie of clearTwitchStates(request)) headers.append('Set-Cookie', cookie);
  if (flow?.isOfApp) {
    const result = resultPage('twitch', ending.code);
    return redirect(ending.waits ? secondStepPage(result) : result, { headers });
  }
  return ending.message
    ? redirectWithToast(ending.to, ending.message, headers)
    : redirect(ending.to, { headers });
}

/**
 * Completes the flow for its purpose: the answer to a flow that signs in or connects confirms nobody's
 * identity.
 */
function finish(
  request: Request,
  context: Context,
  { flow, account, identity }: { flow: SignInFlow; account: Account | null; identity: TwitchIdentity },
): Promise<Ending> {
  if (!account) return enterByIdentity(request, context, { identity, flow });
  return (flow.purpose === 'confirm' ? confirm : link)(request, identity, account.id, flow.to);
}

/** Confirms the identity. The grant is not needed, so the account's present one stays. */
async function confirm(
  request: Request,
  identity: TwitchIdentity,
  userId: string,
  back: string,
): Promise<Ending> {
  await revokeTwitchToken(identity.grant.accessToken);
  const token = (await sessionToken(request)) ?? '';
  const { twitchId } = identity.person;
  const confirmed = await confirmByTwitch(await database(), { userId, token, twitchId }, await domainNow());
  if (confirmed.ok) return good(back, null, cookieHeaders([await saveSession(confirmed.token)]));
  // Another tab of this browser confirmed at the same moment and has the new token, or the next page says that it has ended.
  if (confirmed.code === 'sessionUnknown') return good(back, null);
  const title =
    confirmed.code === 'otherTwitchLinked'
      ? 'errors.account.otherTwitchConfirmed'
      : accountRefusals[confirmed.code].key;
  return bad(confirmPage(back), confirmed.code, title);
}

async function link(
  request: Request,
  identity: TwitchIdentity,
  userId: string,
  back: string,
): Promise<Ending> {
  const currentToken = (await sessionToken(request)) ?? '';
  const person = { ...identity, vault: vault(), userId, currentToken };
  const linked = await linkTwitch(await database(), person, await domainNow());
  if (!linked.ok) return bad(back, linked.code, accountRefusals[linked.code].key);
  nudgeBot();
  return good(back, 'profile.twitch.linked');
}

async function enterByIdentity(
  request: Request,
  context: Context,
  { identity, flow }: { identity: TwitchIdentity; flow: SignInFlow },
): Promise<Ending> {
  const person = { ...identity, vault: vault(), locale: context.get(languageContext) };
  const entered = await enterByTwitch(await database(), person, await domainNow());
  if (!entered.ok) {
    const taken = entered.code === 'emailTaken' ? 'errors.account.twitchEmailTaken' : null;
    return bad('/auth/signin', entered.code, taken ?? accountRefusals[entered.code].key);
  }
  const { userId, registered } = entered;
  const admitted = { userId, isProof: flow.asksAgain };
  if (registered) return good('/dashboard', 'messages.registered', await enterAsNewUser(request, admitted));
  const admission = await admitRequest(request, admitted);
  const { to, headers } = await enter(request, admission, flow.to);
  return { ...good(to, null, headers), waits: admission.step !== 'done' };
}
