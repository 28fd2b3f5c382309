import { Form } from 'react-router';
import { Badge } from '#app/components/feedback/badge.tsx';
import { Button, ButtonLink } from '#app/components/forms/button.tsx';
import { Check, Clock } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { SubscriptionView } from '#app/services/billing/subscription-view.server.ts';
import type { BillingPeriod, Product, Tier } from '#db/schema/billing.ts';

const order: readonly Tier[] = ['free', 'basic', 'expert', 'pro'];

type Props = {
  product: Product;
  tier: Tier;
  period: BillingPeriod;
  current: SubscriptionView | null;
  hasTrial: boolean;
};

/** The action for one plan of the table. */
export function PlanAct({ product, tier, period, current, hasTrial }: Props) {
  const { t } = useTranslation();
  const name = t(`billing.tier.${tier}`);
  const yours = (
    <Badge type="accent" icon={Check} solid>
      {t('billing.act.yours')}
    </Badge>
  );
  if (!current) {
    if (tier === 'free') return yours;
    return (
      <Form method="post" action="/billing/checkout">
        <input type="hidden" name="product" value={product} />
        <input type="hidden" name="tier" value={tier} />
        <input type="hidden" name="period" value={period} />
        <Button size="small">{t(hasTrial ? 'billing.act.try' : 'billing.act.choose', { tier: name })}</Button>
      </Form>
    );
  }
  if (tier === current.tier && period === current.period) return yours;
  if (current.next?.tier === tier && current.next.period === period)
    return <Badge icon={Clock}>{t('billing.act.next')}</Badge>;
  // A cancelled subscription, one with a change to come, or one with an overdue payment is settled first.
  if (current.state === 'ending' || current.state === 'grace' || current.next || current.problem) return null;
  if (tier === 'free')
    return (
      <ButtonLink size="small" to={`/billing/cancel?product=${product}`}>
        {t('billing.act.switch', { tier: name })}
      </ButtonLink>
    );
  const isLarger = order.indexOf(tier) > order.indexOf(current.tier);
  const key =
    tier === current.tier ? (period === 'year' ? 'yearly' : 'monthly') : isLarger ? 'upgrade' : 'switch';
  return (
    <ButtonLink size="small" to={`/billing/change?product=${product}&tier=${tier}&period=${period}`}>
      {t(`billing.act.${key}`, { tier: name })}
    </ButtonLink>
  );
}
