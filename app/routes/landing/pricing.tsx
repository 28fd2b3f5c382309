import { PlanTable } from '#app/components/plans/plan-table.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { PlanTableData } from '#app/services/billing/plans.server.ts';
import type { Limits } from '#domain/plan/limits-of.ts';

/** The prices of the plans, or that there is nothing to pay. */
export function Pricing({ limits, plans }: { limits: Limits; plans: readonly PlanTableData[] | null }) {
  return plans ? <PaidPlans plans={plans} /> : <FreeInstance limits={limits} />;
}

function PaidPlans({ plans }: { plans: readonly PlanTableData[] }) {
  const { t } = useTranslation();
  return (
    <section className="band" id="pricing">
      <div className="wrap stack stack-12">
        <h2>{t('landing.pricing.heading')}</h2>
        {plans.map((table) => (
          <PlanTable
            key={table.product}
            table={table}
            heading={<h3>{t(`billing.plansOf.${table.product}`)}</h3>}
          />
        ))}
        <p className="faint s13">{t('landing.pricing.plansNote')}</p>
      </div>
    </section>
  );
}

function FreeInstance({ limits }: { limits: Limits }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const rows = [
    { name: t('landing.pricing.rules'), value: number(limits.rules) },
    { name: t('landing.pricing.rewards'), value: number(limits.rewardsPerMonth) },
    { name: t('landing.pricing.claims'), value: t('landing.pricing.unlimited') },
    {
      name: t('landing.pricing.otherChannels'),
      value: t(limits.otherChannels ? 'landing.pricing.yes' : 'landing.pricing.no'),
    },
  ];
  return (
    <section className="band" id="pricing">
      <div className="wrap">
        <h2>{t('landing.pricing.heading')}</h2>
        <div className="halves mt-8">
          <div>
            <h3 className="price">{t('landing.pricing.free')}</h3>
            <p className="band__lede mt-2">{t('landing.pricing.freeText')}</p>
          </div>
          <dl className="limits">
            {rows.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </div>
        <p className="faint s13 mt-6">{t('landing.pricing.note')}</p>
      </div>
    </section>
  );
}
