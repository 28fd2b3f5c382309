import { data, redirect } from 'react-router';
import { AffectedList, ConfirmPage } from '#app/components/feedback/confirm.tsx';
import { ErrorText } from '#app/components/forms/field.tsx';
import { Unavailable } from '#app/components/lists/list-states.tsx';
import { usePriceText } from '#app/components/plans/price-text.ts';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { config } from '#app/config.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { planFrom } from '#app/routes/billing/plan-form.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import { billingRefusals } from '#app/services/billing/billing-refusals.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { changePlan, previewChange } from '#billing/change-plan.ts';
import { isRequestId, newId } from '#domain/kernel/id.ts';
import { priceOf } from '#domain/plan/plans.ts';
import type { Route } from './+types/change.ts';

/** Shows the cost of a change, as Stripe calculates it, and when it begins. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const plan = planFrom(new URL(request.url).searchParams);
  if (!plan) throw data(null, { status: 404 });
  const open = await billing();
  if (!open) throw redirect('/billing');
  const outcome = await previewChange(open, { userId, plan });
  if (!outcome.ok) {
    const { status, key } = billingRefusals[outcome.code];
    if (status < 500) throw await redirectWithToast('/billing', { type: 'warning', title: key });
    return data({ preview: null, error: key }, { status });
  }
  const { change, current } = outcome;
  const preview = {
    plan,
    change,
    from: { tier: current.tier, period: current.period, trialUntilMs: current.trialUntilMs },
    price: priceOf(plan.product, plan.tier, plan.period),
    currency: config().billing?.currency ?? 'usd',
    requestId: newId(await domainNow()),
  };
  return data({ preview, error: null });
}

/** Changes the plan for exactly the amount that was shown. Repeating a request charges once. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const form = await request.formData();
  const plan = planFrom(form);
  const requestId = String(form.get('requestId') ?? '');
  if (!plan || !isRequestId(requestId, await domainNow())) throw data(null, { status: 400 });
  const open = await billing();
  if (!open) throw redirect('/billing');
  const [amountDue, prorationDate] = [form.get('amountDue'), form.get('prorationDate')];
  const shown =
    amountDue && prorationDate
      ? { amountDue: Number(amountDue), prorationDate: Number(prorationDate) }
      : null;
  const outcome = await changePlan(open, { userId, plan, requestId, shown });
  if (outcome.ok) {
    if (outcome.confirmUrl) return redirect(outcome.confirmUrl, 303);
    const title = shown ? 'billing.change.done' : 'billing.change.scheduled';
    return redirectWithToast('/billing', { type: 'success', title });
  }
  const { status, key } = billingRefusals[outcome.code];
  return data({ error: key }, { status });
}

type Preview = NonNullable<Route.ComponentProps['loaderData']['preview']>;

function useWhenText({ change, from }: Preview): string {
  const { t } = useTranslation();
  const time = useTimeText();
  const price = usePriceText(change.when === 'now' ? change.currency : 'usd');
  const tier = t(`billing.tier.${from.tier}`);
  if (change.when === 'later')
    return t(change.why === 'debit' ? 'billing.change.laterByDebit' : 'billing.change.later', {
      date: time(change.atMs, 'deadline'),
      tier,
    });
  if (change.amountDue === 0 && from.trialUntilMs !== null)
    return t('billing.change.nowInTrial', { date: time(from.trialUntilMs, 'deadline') });
  if (change.amountDue === 0) return t('billing.change.nowFree');
  return t('billing.change.now', { amount: price(change.amountDue) });
}

function ChangeQuestion({ preview, error }: { preview: Preview; error: string | undefined }) {
  const { t } = useTranslation();
  const { plan, change, from, currency, requestId } = preview;
  const price = usePriceText(currency);
  const text = useWhenText(preview);
  const isPaid = change.when === 'now' && change.amountDue > 0;
  const afterwards = t(plan.period === 'month' ? 'billing.perMonth' : 'billing.perYear', {
    price: price(preview.price),
  });
  const shown: Record<string, string> =
    change.when === 'now'
      ? { amountDue: String(change.amountDue), prorationDate: String(change.prorationDate) }
      : {};
  const rows = [
    { label: t('billing.change.from'), value: t(`billing.tier.${from.tier}`) },
    { label: t('billing.change.to'), value: t(`billing.tier.${plan.tier}`) },
    { label: t('billing.change.today'), value: price(change.when === 'now' ? change.amountDue : 0) },
    { label: t('billing.change.afterwards'), value: afterwards },
  ];
  return (
    <ConfirmPage
      title={t('billing.change.question', { tier: t(`billing.tier.${plan.tier}`) })}
      text={text}
      act={isPaid ? t('billing.change.payAct', { amount: price(change.amountDue) }) : t('billing.change.act')}
      keep={t('billing.change.keep')}
      back="/billing"
      above={[{ to: '/billing', label: t('billing.title') }]}
      crumb={t('billing.change.act')}
      error={error}
      fields={{ ...plan, ...shown, requestId }}
    >
      <AffectedList rows={rows} />
      {change.when === 'later' && plan.product === 'streamer' && (
        <p className="muted">{t('billing.change.over')}</p>
      )}
    </ConfirmPage>
  );
}

export default function ChangePlan({ loaderData, actionData }: Route.ComponentProps) {
  const { preview, error } = loaderData;
  if (!preview) return <Unavailable title={<ErrorText error={error} />} />;
  return <ChangeQuestion preview={preview} error={actionData?.error} />;
}
