import { data, redirect } from 'react-router';
import { ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { productFrom } from '#app/routes/billing/plan-form.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import { billingRefusals } from '#app/services/billing/billing-refusals.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { cancelSubscription } from '#billing/cancel-subscription.ts';
import { isRequestId, newId } from '#domain/kernel/id.ts';
import { goesOnUntil } from '#domain/subscription/cancelling.ts';
import { findSubscription } from '#domain/subscription/find-subscription.ts';
import type { Route } from './+types/cancel.ts';

/** The confirmation. A subscription that has ended, or was cancelled before, leads back. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const product = productFrom(new URL(request.url).searchParams);
  if (!product) throw data(null, { status: 404 });
  const current = await findSubscription((await database()).read, { userId, product });
  if (!current || current.state === 'ending') throw redirect('/billing');
  const nowMs = await domainNow();
  return { product, untilMs: goesOnUntil(current, nowMs), requestId: newId(nowMs) };
}

/** Cancels at the end of the paid time, which may be now. Repeating a request cancels once. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const product = productFrom(form);
  const requestId = String(form.get('requestId') ?? '');
  if (!product || !isRequestId(requestId, await domainNow())) throw data(null, { status: 400 });
  const open = await billing();
  const outcome = open
    ? await cancelSubscription(open, { userId, product, requestId })
    : ({ ok: false, code: 'off' } as const);
  if (outcome.ok)
    return redirectWithToast('/billing', { type: 'success', title: 'messages.subscriptionCancelled' });
  const { key } = billingRefusals[outcome.code];
  return redirectWithToast('/billing', {
    type: 'danger',
    title: 'errors.subscription.cancelFailed',
    body: key,
  });
}

export default function CancelSubscription({ loaderData }: Route.ComponentProps) {
  const { t } = useTranslation();
  const time = useTimeText();
  const { product, untilMs, requestId } = loaderData;
  return (
    <ConfirmPage
      title={t('billing.cancelling.question', { product: t(`billing.product.${product}`) })}
      text={
        untilMs === null
          ? t('billing.cancelling.textNow')
          : t('billing.cancelling.text', { date: time(untilMs, 'deadline') })
      }
      act={t('billing.cancel')}
      keep={t('billing.cancelling.keep')}
      back="/billing"
      above={[{ to: '/billing', label: t('billing.title') }]}
      fields={{ product, requestId }}
      destructive
    >
      {product === 'streamer' && <p>{t('billing.cancelling.over')}</p>}
    </ConfirmPage>
  );
}
