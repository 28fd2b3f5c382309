import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { requireConfirmedDepositor } from '#app/routes/steam/confirmed-depositor.server.ts';
import { clearSteamAttempt, finishSteamSignIn } from '#app/routes/steam/steam-sign-in.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals, steamRefusals } from '#app/services/forms/refusals.server.ts';
import { resultPage } from '#app/services/sign-in/link-result.server.ts';
import { cookieHeaders, sessionToken } from '#app/services/sign-in/session.server.ts';
import { openFlow } from '#app/services/sign-in/sign-in-flow.server.ts';
import { redirectWithToast, type ToastMessage } from '#app/services/toast.server.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import type { Route } from './+types/callback.ts';

/** Steam redirects here. People who came from the companion app see the result on a page for it. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  const { id: userId } = account;
  await requireConfirmedDepositor(context, userId, '/steam/link');
  const flow = openFlow(new URL(request.url).searchParams.get('state'));
  const headers = cookieHeaders([await clearSteamAttempt()]);
  const answer = await finishSteamSignIn(request, { flow, account });
  const currentToken = (await sessionToken(request)) ?? '';
  const linked = answer.ok
    ? await linkSteam(await database(), { userId, steamId: answer.steamId, currentToken }, await domainNow())
    : answer;
  if (flow?.isOfApp) return redirect(resultPage('steam', linked.ok ? null : linked.code), { headers });
  const refusals = { ...steamRefusals, ...accountRefusals };
  const message: ToastMessage = linked.ok
    ? { type: 'success', title: 'profile.steam.linked' }
    : { type: 'danger', title: refusals[linked.code].key };
  // A browser that follows the fragment puts the cursor into the field of the next step.
  const next = linked.ok ? '#trade-link' : '';
  return redirectWithToast(`${flow?.to ?? '/profile'}${next}`, message, headers);
}
