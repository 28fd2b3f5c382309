import type { ParseKeys } from 'i18next';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals, steamRefusals } from '#app/services/refusals.server.ts';
import { finishSteamSignIn, forgetSteamAttempt } from '#app/services/steam-sign-in.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { linkSteam } from '#domain/account/link-steam.ts';
import type { Route } from './+types/callback.ts';

/** Where Steam sends people back to. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const headers = new Headers({ 'Set-Cookie': await forgetSteamAttempt() });
  const back = (type: 'success' | 'danger', title: ParseKeys) =>
    redirectWithToast('/profile', { type, title }, headers);
  const answer = await finishSteamSignIn(request, userId);
  if (!answer.ok) return back('danger', steamRefusals[answer.code].key);
  const linked = await linkSteam(await database(), { userId, steamId: answer.steamId }, await domainNow());
  if (!linked.ok) return back('danger', accountRefusals[linked.code].key);
  return back('success', 'profile.steam.linked');
}
