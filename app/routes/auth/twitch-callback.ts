import type { ParseKeys } from 'i18next';
import { languageContext } from '#app/middleware/contexts.server.ts';
import { accountContext } from '#app/middleware/session.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals, twitchRefusals } from '#app/services/refusals.server.ts';
import { startSession } from '#app/services/session.server.ts';
import { redirectWithToast, type ToastMessage } from '#app/services/toast.server.ts';
import { finishTwitchSignIn, forgetTwitchStates } from '#app/services/twitch-sign-in.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { enterByTwitch } from '#domain/account/enter-by-twitch.ts';
import { linkTwitch } from '#domain/account/link-twitch.ts';
import type { Route } from './+types/twitch-callback.ts';

const bad = (title: ParseKeys): ToastMessage => ({ type: 'danger', title });
const good = (title: ParseKeys): ToastMessage => ({ type: 'success', title });

/** Where Twitch sends people back to: links the account of who is signed in, and signs everyone else in or up. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const account = context.get(accountContext);
  const headers = new Headers();
  for (const cookie of forgetTwitchStates(request)) headers.append('Set-Cookie', cookie);
  const back = account ? '/profile' : '/auth/signin';
  const answer = await finishTwitchSignIn(request, { userId: account?.id ?? null });
  if (!answer.ok) return redirectWithToast(back, bad(twitchRefusals[answer.code].key), headers);

  const db = await database();
  const nowMs = await domainNow();
  const person = { ...answer.identity, vault: vault() };
  if (account) {
    const linked = await linkTwitch(db, { ...person, userId: account.id }, nowMs);
    if (linked.ok) nudgeBot();
    const message = linked.ok ? good('profile.twitch.linked') : bad(accountRefusals[linked.code].key);
    return redirectWithToast(back, message, headers);
  }
  const entered = await enterByTwitch(db, { ...person, locale: context.get(languageContext) }, nowMs);
  if (!entered.ok) {
    const taken = entered.code === 'emailTaken' ? 'errors.account.twitchEmailTaken' : null;
    return redirectWithToast(back, bad(taken ?? accountRefusals[entered.code].key), headers);
  }
  headers.append('Set-Cookie', await startSession(request, entered.userId));
  if (entered.registered) return redirectWithToast('/dashboard', good('messages.registered'), headers);
  headers.set('Location', '/dashboard');
  return new Response(null, { status: 302, headers });
}
