import { redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireOperator } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { stopSending } from '#domain/bot/stop-sending.ts';
import type { Route } from './+types/stop.ts';

export const handle: PageHandle = { plain: true };

const page = '/operator/stop';

export async function loader({ context }: Route.LoaderArgs) {
  requireOperator(context);
  requireConfirmed(context, page);
  if (await findSendingStop((await database()).read)) throw redirect('/operator');
  return null;
}

/** Lets no bot send another offer. */
export async function action({ context }: Route.ActionArgs) {
  const { id: operatorId } = requireOperator(context);
  requireConfirmed(context, page);
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  await stopSending(await database(), { operatorId }, times);
  return redirectWithToast('/operator', { type: 'warning', title: 'operator.stop.done' });
}

export default function StopSending() {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('operator.stop.question')}
      text={t('operator.stop.effects')}
      act={t('operator.stop.act')}
      keep={t('operator.stop.keep')}
      back="/operator"
      above={[{ to: '/operator', label: t('operator.title') }]}
      destructive
    />
  );
}
