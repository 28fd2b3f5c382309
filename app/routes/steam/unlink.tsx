import { redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { accountRefusals } from '#app/services/forms/refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { unlinkSteam } from '#domain/account/steam/unlink-steam.ts';
import type { Route } from './+types/unlink.ts';

const page = '/steam/unlink';

export async function loader({ context }: Route.LoaderArgs) {
  const { steam } = await requireVerifiedAccount(context);
  if (!steam) throw redirect('/profile');
  requireConfirmed(context, page);
  return { name: steam.personaName || steam.steamId };
}

export async function action({ context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  requireConfirmed(context, page);
  const outcome = await unlinkSteam(await database(), { userId }, await domainNow());
  if (!outcome.ok)
    return redirectWithToast('/profile', { type: 'info', title: accountRefusals[outcome.code].key });
  return redirectWithToast('/profile', { type: 'success', title: 'profile.steam.unlinked' });
}

export default function UnlinkSteam({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('profile.steam.question', { name: loaderData.name })}
      text={t('profile.steam.consequence')}
      act={t('profile.steam.disconnect')}
      keep={t('profile.steam.keep')}
      back="/profile"
      above={[{ to: '/profile', label: t('profile.title') }]}
      destructive
    />
  );
}
