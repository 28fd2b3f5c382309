import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { requireConfirmedDepositor } from '#app/routes/steam/confirmed-depositor.server.ts';
import { startSteamSignIn } from '#app/routes/steam/steam-sign-in.server.ts';
import { steamFlow } from '#app/services/sign-in/sign-in-flow.server.ts';
import type { Route } from './+types/link.ts';

/** Redirects to Steam to prove which account belongs to the user. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const account = await requireVerifiedAccount(context);
  await requireConfirmedDepositor(context, account.id, '/steam/link');
  const { url, setCookie } = await startSteamSignIn(await steamFlow(request, account));
  return redirect(url, { headers: { 'Set-Cookie': setCookie } });
}
