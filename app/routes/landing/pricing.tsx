import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Limits } from '#domain/subscription/limits-of.ts';

/** What an instance without billing says about its price. */
export function Pricing({ limits }: { limits: Limits }) {
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
