import { data, redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { leaveChannel } from '#app/services/channels/channel-leaving.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { revokeTwitchToken } from '#app/services/sign-in/twitch-sign-in.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { unlinkTwitch } from '#domain/account/twitch/unlink-twitch.ts';
import type { Route } from './+types/unlink.ts';

const page = '/twitch/unlink';

export async function loader({ context }: Route.LoaderArgs) {
  const { twitch, hasPassword } = await requireVerifiedAccount(context);
  if (!twitch) throw redirect('/profile');
  // An impossible request needs no proof of identity.
  if (hasPassword) requireConfirmed(context, page);
  return { name: twitch.displayName, error: hasPassword ? null : accountRefusals.passwordMissing.key };
}

export async function action({ context }: Route.ActionArgs) {
  const { id: userId, hasPassword, twitch } = await requireVerifiedAccount(context);
  requireConfirmed(context, page);
  const db = await database();
  const left = !twitch || !hasPassword || (await leaveChannel(db, twitch.id));
  const outcome = await unlinkTwitch(db, { vault: vault(), userId }, await domainNow());
  if (!outcome.ok) {
    const { status, key } = accountRefusals[outcome.code];
    // Nothing is left to confirm, and this page would redirect before it could show the message.
    if (outcome.code === 'twitchNotLinked')
      return redirectWithToast('/profile', { type: 'info', title: key });
    return data({ error: key }, { status });
  }
  await revokeTwitchToken(outcome.accessToken);
  const title = 'profile.twitch.unlinked';
  return redirectWithToast(
    '/profile',
    left ? { type: 'success', title } : { type: 'warning', title, body: 'profile.twitch.leftBehind' },
  );
}

export default function UnlinkTwitch({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('profile.twitch.question', { name: loaderData.name })}
      text={`${t('profile.twitch.consequence')} ${t('profile.twitch.pointsConsequence')}`}
      act={t('profile.twitch.disconnect')}
      keep={t('profile.twitch.keep')}
      back="/profile"
      above={[{ to: '/profile', label: t('profile.title') }]}
      error={actionData?.error ?? loaderData.error ?? undefined}
      impossible={loaderData.error !== null}
      destructive
    />
  );
}
