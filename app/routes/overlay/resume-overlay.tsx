import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { stopOverlay } from '#domain/overlay/set-overlay.ts';
import type { Route } from './+types/resume-overlay.ts';

const overview = '/channel/overlay';

export async function loader({ context }: Route.LoaderArgs) {
  await requireVerifiedAccount(context);
  return null;
}

/** Lets a stopped overlay show again what viewers see. */
export async function action({ context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  await stopOverlay(await database(), { userId, stops: false }, await domainNow());
  return redirectWithToast(overview, { type: 'success', title: 'overlay.resumeDone' });
}

export default function ResumeOverlay() {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('overlay.resumeTitle')}
      text={t('overlay.resumeText')}
      act={t('overlay.resume')}
      keep={t('overlay.keep')}
      back={overview}
      above={[
        { to: '/channel', label: t('channel.title') },
        { to: overview, label: t('overlay.title') },
      ]}
    />
  );
}
