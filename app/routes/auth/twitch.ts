import { refuseUnverified, requireConfirmedToConnect } from '#app/middleware/guards.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { database } from '#app/services/database.server.ts';
import { twitchRefusals } from '#app/services/forms/refusals.server.ts';
import { twitchFlow } from '#app/services/sign-in/sign-in-flow.server.ts';
import { startTwitchSignIn, type TwitchPermissions } from '#app/services/sign-in/twitch-sign-in.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { botScope, pointsScope } from '#domain/identity/twitch/twitch-scopes.ts';
import { usesPoints } from '#domain/rule/channel-use.ts';
import type { Route } from './+types/twitch.ts';

/**
 * Returns the permissions to ask for. A streamer who allowed channel points before, or has rules that need
 * them, is asked for them again.
 */
async function permissionsIn(asked: string | null, account: Account | null): Promise<TwitchPermissions> {
  if (asked !== 'streamer' && asked !== 'points' && asked !== 'bot') return 'viewer';
  const twitch = account?.twitch;
  if (asked === 'points' || twitch?.scopes.includes(pointsScope)) return 'points';
  return twitch && (await usesPoints((await database()).read, twitch.id)) ? 'points' : 'streamer';
}

/**
 * Returns whether to open the chat to the bot: on request, or if it was open and streams are connected again.
 */
const allowsBot = (asked: string | null, account: Account | null): boolean =>
  asked === 'bot' || (asked !== null && (account?.twitch?.scopes.includes(botScope) ?? false));

/** Sends a person to Twitch: to sign in or up, or, when signed in with a verified address, to link the account. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  refuseUnverified(account);
  const { pathname, search, searchParams } = new URL(request.url);
  requireConfirmedToConnect(context, account, pathname + search);
  const asked = searchParams.get('permissions');
  const permissions = await permissionsIn(asked, account);
  const outcome = await startTwitchSignIn({
    permissions,
    allowsBot: permissions !== 'viewer' && allowsBot(asked, account),
    flow: await twitchFlow(request, account),
  });
  if (outcome.ok) return outcome.response;
  const back = account ? '/profile' : '/auth/signin';
  return redirectWithToast(back, { type: 'danger', title: twitchRefusals[outcome.code].key });
}
