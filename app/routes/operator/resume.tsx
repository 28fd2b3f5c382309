import { redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import type { PageHandle } from '#app/components/shell/page-handle.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireConfirmed, requireOperator } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { resumeSending } from '#domain/bot/stop-sending.ts';
import type { Route } from './+types/resume.ts';

export const handle: PageHandle = { plain: true };

const page = '/operator/resume';

export async function loader({ context }: Route.LoaderArgs) {
  requireOperator(context);
  requireConfirmed(context, page);
  if (!(await findSendingStop((await database()).read))) throw redirect('/operator');
  return null;
}

/** Lets bots send again, and wakes them. */
export async function action({ context }: Route.ActionArgs) {
  const { id: operatorId } = requireOperator(context);
  requireConfirmed(context, page);
  const times = { nowMs: await domainNow(), systemMs: Date.now() };
  if (await resumeSending(await database(), { operatorId }, times)) nudgeBot();
  return redirectWithToast('/operator', { type: 'success', title: 'operator.resume.done' });
}

export default function ResumeSending() {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('operator.resume.question')}
      text={t('operator.resume.effects')}
      act={t('operator.resume.act')}
      keep={t('operator.resume.keep')}
      back="/operator"
      above={[{ to: '/operator', label: t('operator.title') }]}
    />
  );
}
