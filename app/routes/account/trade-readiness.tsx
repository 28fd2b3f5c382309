import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import { CircleCheck, CircleHelp, TriangleAlert } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ReadyState, TradeReadiness } from '#app/routes/account/trade-readiness.server.ts';

const looks: Record<ReadyState, { type: BadgeType; icon: Sign }> = {
  good: { type: 'success', icon: CircleCheck },
  bad: { type: 'warning', icon: TriangleAlert },
  unknown: { type: 'plain', icon: CircleHelp },
};
const parts = ['token', 'hold', 'inventory'] as const;

/** The requirements for trading with a person, line by line, and how to meet those that are missing. */
export function TradeReadinessList({ readiness }: { readiness: TradeReadiness }) {
  const { t } = useTranslation();
  return (
    <ul className="lined">
      {parts.map((part) => {
        const state = readiness[part];
        return (
          <li className="line between" key={part}>
            <div>
              <span className="strong">{t(`identity.readiness.${part}.label`)}</span>
              <p className="s13 muted">
                {part === 'hold' && state === 'bad'
                  ? t('identity.readiness.hold.bad', { count: readiness.holdDays })
                  : t(`identity.readiness.${part}.${state}` as 'identity.readiness.token.good')}
              </p>
            </div>
            <Badge {...looks[state]}>{t(`identity.readiness.state.${state}`)}</Badge>
          </li>
        );
      })}
    </ul>
  );
}
