import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { requireConfirmedDepositor } from '#app/services/confirmed-depositor.server.ts';
import { database } from '#app/services/database.server.ts';
import { cameFromApp, clearOrigin, placeOfOrigin, resultPage } from '#app/services/link-origin.server.ts';
import { accountRefusals, steamRefusals } from '#app/services/refusals.server.ts';
import { sessionToken } from '#app/services/session.server.ts';
import { clearSteamAttempt, finishSteamSignIn } from '#app/services/steam-sign-in.server.ts';
import { redirectWithToast, type ToastMessage } from '#app/services/toast.server.ts';
import { linkSteam } from '#domain/account/steam/link-steam.ts';
import type { Route } from './+types/callback.ts';

/** Steam redirects here. People who came from the companion app see the result on a page for it. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  await requireConfirmedDepositor(context, userId, '/steam/link');
  const fromApp = await cameFromApp(request);
  const headers = new Headers({ 'Set-Cookie': await clearSteamAttempt() });
  headers.append('Set-Cookie', await clearOrigin());
  const answer = await finishSteamSignIn(request, userId);
  const currentToken = (await sessionToken(request)) ?? '';
  const linked = answer.ok
    ? await linkSteam(await database(), { userId, steamId: answer.steamId, currentToken }, await domainNow())
    : answer;
  if (fromApp) return redirect(resultPage('steam', linked.ok ? null : linked.code), { headers });
  const refusals = { ...steamRefusals, ...accountRefusals };
  const message: ToastMessage = linked.ok
    ? { type: 'success', title: 'profile.steam.linked' }
    : { type: 'danger', title: refusals[linked.code].key };
  // A browser that follows the fragment puts the cursor into the field of the next step.
  const next = linked.ok ? '#trade-link' : '';
  return redirectWithToast(`${await placeOfOrigin(request)}${next}`, message, headers);
}
