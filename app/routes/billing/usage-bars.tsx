import type { ReactNode } from 'react';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Usage } from '#domain/plan/get-usage.ts';
import type { UsageMonth } from '#domain/plan/usage-month.ts';

type Props = {
  name: string;
  used: number;
  /** Null: unlimited. */
  limit: number | null;
  note: ReactNode;
};

function UsageBar({ name, used, limit, note }: Props) {
  const { t } = useTranslation();
  const number = useNumberText();
  return (
    <div className="cond">
      <div className="cond__head">
        <span>{name}</span>
        <span className="cond__value">
          <b>{number(used)}</b>{' '}
          {limit === null ? `· ${t('billing.unlimited')}` : t('billing.of', { limit: number(limit) })}
        </span>
      </div>
      {limit !== null && (
        <progress className="meter" value={Math.min(used, limit)} max={limit} aria-label={name} />
      )}
      <p className="s13 faint">
        {limit !== null && used >= limit && <b className="warn">{t('billing.full')} </b>}
        {note}
      </p>
    </div>
  );
}

/** The usage of each limit, and when it resets. */
export function UsageBars({ usage }: { usage: Usage }) {
  const { t } = useTranslation();
  const time = useTimeText();
  const { limits } = usage;
  const resets = (month: UsageMonth) => t('billing.resets', { date: time(month.resetsAtMs, 'deadline') });
  return (
    <div className="stack stack-8">
      <section className="stack">
        <h3>{t('billing.streamer')}</h3>
        <UsageBar
          name={t('billing.rules')}
          used={usage.rules}
          limit={limits.rules}
          note={t('billing.rulesNote')}
        />
        <UsageBar
          name={t('billing.rewards')}
          used={usage.rewardsThisMonth}
          limit={limits.rewardsPerMonth}
          note={resets(limits.rewardsMonth)}
        />
        <dl className="kv">
          <dt>{t('billing.otherChannels')}</dt>
          <dd>{t(limits.otherChannels ? 'billing.included' : 'billing.notIncluded')}</dd>
        </dl>
      </section>
      <section className="stack">
        <h3>{t('billing.viewer')}</h3>
        <UsageBar
          name={t('billing.claims')}
          used={usage.claimsThisMonth}
          limit={limits.claimsPerMonth}
          note={`${resets(limits.claimsMonth)}. ${t('billing.claimsNote')}`}
        />
      </section>
    </div>
  );
}
