import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { Check } from '#app/components/icons/signs.ts';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { PlanTableData, PlanValue } from '#app/services/billing/plans.server.ts';
import type { BillingPeriod, Tier } from '#db/schema/billing.ts';
import { usePriceText } from './price-text.ts';

type Price = PlanTableData['prices'][number];

function PriceHead({ plan, price }: { plan: Price; price: (minorUnits: number) => string }) {
  const { t } = useTranslation();
  const { month, year } = plan.prices;
  const isFree = month === 0;
  const per = <small>{t('billing.table.month')}</small>;
  return (
    <th scope="col">
      <span className="tier">{t(`billing.tier.${plan.tier}`)}</span>
      {isFree ? (
        <>
          <span className="price">{price(0)}</span>
          <span className="price-note">{t('billing.table.noCard')}</span>
        </>
      ) : (
        <>
          <span className="price per-month">
            {price(month)} {per}
          </span>
          <span className="price-note per-month">{t('billing.table.billedMonthly')}</span>
          <span className="price per-year">
            {price(Math.round(year / 12))} {per}
          </span>
          <span className="price-note per-year">
            {t('billing.table.billedYearly', { price: price(year), saving: price(month * 12 - year) })}
          </span>
        </>
      )}
    </th>
  );
}

function Value({ value }: Pick<PlanValue, 'value'>) {
  const { t } = useTranslation();
  const number = useNumberText();
  if (value === null) return t('billing.table.unlimited');
  if (typeof value === 'number') return number(value);
  if (!value) return <span className="faint">{t('billing.table.no')}</span>;
  return (
    <>
      <Icon of={Check} className="accent" />
      <span className="vh">{t('billing.table.yes')}</span>
    </>
  );
}

type Props = {
  table: PlanTableData;
  /** The heading: its level differs between pages. */
  heading: ReactNode;
  /** The period that is shown first. */
  period?: BillingPeriod | undefined;
  /** Draws the action for a tier and period; without it the table only informs. */
  act?: (tier: Tier, period: BillingPeriod) => ReactNode;
};

/** The plans of a product, by the month or by the year. The choice is two radio buttons: it works without JavaScript. */
export function PlanTable({ table, heading, period = 'month', act }: Props) {
  const { t } = useTranslation();
  const price = usePriceText(table.currency);
  const name = `period-${table.product}`;
  return (
    <section className="pricing">
      <div className="section-head">
        {heading}
        <fieldset className="segmented">
          <legend className="vh">{t('billing.table.period')}</legend>
          <label>
            <input type="radio" name={name} value="month" defaultChecked={period === 'month'} />
            {t('billing.table.monthly')}
          </label>
          <label>
            <input type="radio" name={name} value="year" defaultChecked={period === 'year'} />
            {t('billing.table.yearly', { percent: table.savingPercent })}
          </label>
        </fieldset>
      </div>
      <div className="sheet sheet__pad">
        <table className={act ? 'price-table price-table--act' : 'price-table'}>
          <caption className="vh">{t(`billing.plansOf.${table.product}`)}</caption>
          <thead>
            <tr>
              <th scope="col">
                <span className="vh">{t('billing.table.limit')}</span>
              </th>
              {table.prices.map((plan) => (
                <PriceHead key={plan.tier} plan={plan} price={price} />
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">{t(`billing.table.${row.name}`)}</th>
                {row.values.map(({ tier, value }) => (
                  <td key={tier} data-label={t(`billing.tier.${tier}`)}>
                    <Value value={value} />
                  </td>
                ))}
              </tr>
            ))}
            {act && (
              <tr>
                <th scope="row">
                  <span className="vh">{t('billing.table.choose')}</span>
                </th>
                {table.prices.map(({ tier }) => (
                  <td key={tier} data-label={t(`billing.tier.${tier}`)}>
                    <div className="per-month">{act(tier, 'month')}</div>
                    <div className="per-year">{act(tier, 'year')}</div>
                  </td>
                ))}
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}
