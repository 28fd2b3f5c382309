import { data } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { AffectedKinds } from '#app/components/items/affected-items.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { nudgeBot } from '#app/services/bot-client.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { cancelRefusals } from '#app/services/forms/trading-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { getTransfer } from '#domain/transfer/list-transfers.ts';
import type { Route } from './+types/cancel-transfer.ts';

export async function loader({ params, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const transfer = await getTransfer(await database(), { transferId: params.id, userId });
  if (!transfer?.own) throw data(null, { status: 404 });
  return { items: transfer.items.map((item) => ({ ...item, key: `${item.appId} ${item.marketHashName}` })) };
}

/** Cancels one of the user's own transfers. Cancelling twice returns the same result. */
export async function action({ params, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const [db, nowMs] = [await database(), await domainNow()];
  const outcome = await cancelTransfer(db, { transferId: params.id, userId }, nowMs);
  const back = `/transfers?open=${params.id}`;
  if (!outcome.ok) {
    if (outcome.code === 'notFound') throw data(null, { status: 404 });
    const now = await getTransfer(db, { transferId: params.id, userId });
    if (now?.state !== 'cancelled') {
      const { status, key } = cancelRefusals[outcome.code];
      return data({ error: key }, { status });
    }
    return redirectWithToast(back, { type: 'success', title: 'transfers.cancel.done' });
  }
  nudgeBot();
  return redirectWithToast(back, {
    type: 'success',
    title: outcome.cancelled ? 'transfers.cancel.done' : 'transfers.cancel.asked',
  });
}

export default function CancelTransfer({ loaderData, actionData }: Route.ComponentProps) {
  const { t } = useTranslation();
  return (
    <ConfirmPage
      title={t('transfers.cancel.question')}
      text={t('transfers.cancel.text')}
      act={t('transfers.cancel.act')}
      keep={t('transfers.cancel.keep')}
      back="/transfers"
      above={[{ to: '/transfers', label: t('transfers.title') }]}
      error={actionData?.error}
      destructive
    >
      <AffectedKinds kinds={loaderData.items} />
    </ConfirmPage>
  );
}
