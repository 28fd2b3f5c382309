import { Form } from 'react-router';
import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import { Callout } from '#app/components/feedback/callout.tsx';
import { Button, ButtonLink } from '#app/components/forms/button.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import { Calendar, CircleCheck, Clock, TriangleAlert } from '#app/components/icons/signs.ts';
import { usePriceText } from '#app/components/plans/price-text.ts';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { SubscriptionView } from '#app/services/billing/subscription-view.server.ts';

const looks: Record<SubscriptionView['state'], { type: BadgeType; icon: Sign }> = {
  trialing: { type: 'info', icon: Clock },
  active: { type: 'success', icon: CircleCheck },
  grace: { type: 'warning', icon: TriangleAlert },
  ending: { type: 'info', icon: Calendar },
};

function ResumeForm({ product, label }: { product: SubscriptionView['product']; label: string }) {
  return (
    <Form method="post" action="/billing/resume">
      <input type="hidden" name="product" value={product} />
      <Button size="small">{label}</Button>
    </Form>
  );
}

/** The most urgent notice for a subscriber, one at a time. */
export function SubscriptionNotice({ subscription }: { subscription: SubscriptionView }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const price = usePriceText(subscription.currency);
  const { product, state, endsAtMs, graceUntilMs, trialUntilMs, next } = subscription;
  const tier = t(`billing.tier.${subscription.tier}`);
  const date = (ms: number | null) => time(ms ?? 0, 'weekdayDate');
  if (subscription.problem)
    return (
      <Callout type="warning" title={t('billing.notice.problem')}>
        <p>{t('billing.notice.problemText')}</p>
      </Callout>
    );
  if (state === 'grace')
    return (
      <Callout type="warning" title={t('billing.notice.grace')}>
        <p>{t('billing.notice.graceText', { date: date(graceUntilMs) })}</p>
        <Form className="mt-2" method="post" action="/billing/portal">
          <Button size="small">{t('billing.notice.changeCard')}</Button>
        </Form>
      </Callout>
    );
  if (state === 'ending')
    return (
      <Callout
        type="info"
        icon={Calendar}
        title={t('billing.notice.ending', { product: t(`billing.product.${product}`), date: date(endsAtMs) })}
      >
        <p>{t('billing.notice.endingText')}</p>
        {product === 'streamer' && <p>{t('billing.notice.endingRules')}</p>}
        <div className="mt-2">
          <ResumeForm product={product} label={t('billing.notice.keep')} />
        </div>
      </Callout>
    );
  if (subscription.isPaymentUnderWay)
    return (
      <Callout type="info" icon={Clock} title={t('billing.notice.underWay')}>
        <p>{t('billing.notice.underWayText')}</p>
      </Callout>
    );
  if (subscription.pause)
    return (
      <Callout type="info" icon={Clock} title={t('billing.notice.paused')}>
        <p>
          {subscription.pause.untilMs === null
            ? t('billing.notice.pausedText')
            : t('billing.notice.pausedUntil', { date: date(subscription.pause.untilMs) })}
        </p>
      </Callout>
    );
  if (next)
    return (
      <Callout
        type="info"
        title={t('billing.notice.next', { tier: t(`billing.tier.${next.tier}`), date: date(next.atMs) })}
      >
        <p>{t('billing.notice.nextText', { tier })}</p>
        <div className="mt-2">
          <ResumeForm product={product} label={t('billing.notice.stay', { tier })} />
        </div>
      </Callout>
    );
  if (state !== 'trialing') return null;
  return (
    <Callout type="info" icon={Clock} title={t('billing.notice.trial', { date: date(trialUntilMs) })}>
      <p>
        {subscription.nextCharge
          ? t('billing.notice.trialText', { tier, price: price(subscription.nextCharge.amount) })
          : t('billing.notice.trialFree', { tier })}
      </p>
    </Callout>
  );
}

/** One subscription: its plan, its price, and its dates. */
export function SubscriptionFacts({ subscription }: { subscription: SubscriptionView }) {
  const { t } = useTranslation();
  const price = usePriceText(subscription.currency);
  const { product, tier, period, state, nextCharge } = subscription;
  const dates = [
    { label: t('billing.trialUntil'), ms: subscription.trialUntilMs },
    { label: t('billing.graceUntil'), ms: subscription.graceUntilMs },
    { label: t('billing.endsOn'), ms: subscription.endsAtMs },
    { label: t('billing.nextBilling'), ms: nextCharge?.atMs ?? null },
    { label: t('billing.since'), ms: subscription.createdAtMs },
  ];
  return (
    <div className="stack">
      <div>
        <div className="line between">
          <h2>
            {t('billing.planName', {
              product: t(`billing.product.${product}`),
              tier: t(`billing.tier.${tier}`),
            })}
          </h2>
          <Badge {...looks[state]}>{t(`billing.state.${state}`)}</Badge>
        </div>
        <p className="plan__price mt-2">
          {t(period === 'month' ? 'billing.perMonth' : 'billing.perYear', {
            price: price(subscription.price),
          })}
        </p>
      </div>
      <dl className="kv">
        {dates.map(
          ({ label, ms }) =>
            ms !== null && (
              <div className="kv__row" key={label}>
                <dt>{label}</dt>
                <dd>
                  <LocalTime ms={ms} style="date" />
                </dd>
              </div>
            ),
        )}
        <div className="kv__row">
          <dt>{t('billing.nextCharge')}</dt>
          <dd>
            {nextCharge === null && t('billing.noCharge')}
            {nextCharge !== null &&
              (nextCharge.isTaxed
                ? t('billing.plusTax', { price: price(nextCharge.amount) })
                : price(nextCharge.amount))}
          </dd>
        </div>
      </dl>
      {state !== 'ending' && (
        <p>
          <ButtonLink kind="quiet" size="small" to={`/billing/cancel?product=${product}`}>
            {t('billing.cancel')}
          </ButtonLink>
        </p>
      )}
    </div>
  );
}
