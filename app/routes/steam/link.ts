import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { requireConfirmedDepositor } from '#app/services/confirmed-depositor.server.ts';
import { rememberOrigin } from '#app/services/link-origin.server.ts';
import { startSteamSignIn } from '#app/services/steam-sign-in.server.ts';
import type { Route } from './+types/link.ts';

/** Redirects to Steam to prove which account belongs to the user. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id } = await requireVerifiedAccount(context);
  await requireConfirmedDepositor(context, id, '/steam/link');
  const { url, setCookie } = await startSteamSignIn(id);
  const headers = new Headers({ 'Set-Cookie': setCookie });
  headers.append('Set-Cookie', await rememberOrigin(request));
  return redirect(url, { headers });
}
