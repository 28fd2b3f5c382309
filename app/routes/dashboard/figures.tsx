import type { ReactNode } from 'react';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronDown, ChevronRight } from '#app/components/icons/signs.ts';
import { Legend, Pool, type PoolCounts, splitReserved } from '#app/components/rules/pool.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type {
  Figure as FigureData,
  FigureName,
  StreamerDashboard,
} from '#app/routes/dashboard/streamer-dashboard.server.ts';
import { Chart } from './chart.tsx';
import { FigureRows } from './figure-rows.tsx';

type Dashboard = Omit<StreamerDashboard, 'tasks'>;

type FigureProps = {
  name: FigureName;
  value: ReactNode;
  unit?: string;
  note: ReactNode;
  dashboard: Dashboard;
  children: ReactNode;
};

/** A metric: its number, its change, its chart, and on request the same as a table. */
function Figure({ name, value, unit, note, dashboard, children }: FigureProps) {
  const { t } = useTranslation();
  const open = dashboard.table?.of === name;
  return (
    <div id={name}>
      <div className="figure__top">
        <h3>{t(`dashboard.figures.${name}`)}</h3>
        <span className="figure__n">
          {value} {unit && <small>{unit}</small>}
        </span>
        <span className="figure__note">{note}</span>
      </div>
      {children}
      <div className="twin">
        <Link
          to={`?view=streamer&days=${dashboard.period}${open ? '' : `&table=${name}`}#${name}`}
          aria-expanded={open}
          preventScrollReset
        >
          <Icon of={open ? ChevronDown : ChevronRight} size="small" />
          {t(open ? 'dashboard.figures.hideTable' : 'common.asTable')}
          <span className="vh">: {t(`dashboard.figures.${name}`)}</span>
        </Link>
        {open && <FigureRows dashboard={dashboard} />}
      </div>
    </div>
  );
}

function Rewards({ dashboard }: { dashboard: Dashboard }) {
  const { t } = useTranslation();
  const { now, since } = dashboard.rewards;
  const { rules, preparing, ...live } = now;
  const counts: PoolCounts = splitReserved({ claimed: since.claimed, ...live }, preparing);
  return (
    <Figure
      name="rewards"
      value={useNumberText()(now.free + now.promised + now.reserved)}
      note={t('dashboard.figures.inRules', { count: rules })}
      dashboard={dashboard}
    >
      <div className="stack">
        <Pool counts={counts} />
        <Legend
          counts={counts}
          grid
          filters={(state) => (state === 'claimed' ? { from: dashboard.sinceDay } : {})}
        />
        <p className="s13 faint">{t('dashboard.figures.deliveredOf', { days: dashboard.period })}</p>
      </div>
    </Figure>
  );
}

function Change({ of, percent = false, days }: { of: number | null; percent?: boolean; days: number }) {
  const { t } = useTranslation();
  const number = useNumberText();
  if (of === null) return null;
  const text = percent
    ? number(of, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })
    : number(of, { signDisplay: 'exceptZero' });
  return (
    <>
      <span className={of > 0 ? 'up' : of < 0 ? 'down' : undefined}>{text}</span>{' '}
      {t(percent ? 'dashboard.figures.onBefore' : 'dashboard.figures.inDays', { days })}
    </>
  );
}

function Plot({ figure, axis, without }: { figure: FigureData; axis: Dashboard['axis']; without: string }) {
  if (!figure.chart) return <p className="s13 muted">{without}</p>;
  return <Chart {...figure.chart} axis={axis} />;
}

/** The channel's metrics over 7, 30 or 90 days. */
export function Figures({ dashboard, periods }: { dashboard: Dashboard; periods: readonly number[] }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const { figures, axis, period } = dashboard;
  const { watchTime, followers, subscriptions, channelPoints, refunded } = figures;
  const hours = watchTime.value ?? 0;
  const counted = [
    ['followers', followers],
    ['subscriptions', subscriptions],
  ] as const;
  return (
    <section>
      <SectionHead
        title={t('dashboard.figures.title')}
        aside={
          <nav className="segmented" aria-label={t('dashboard.figures.period')}>
            {periods.map((days) => (
              <Link
                key={days}
                to={`?view=streamer&days=${days}`}
                aria-current={days === period ? 'true' : undefined}
                preventScrollReset
              >
                {t('common.days', { count: days })}
              </Link>
            ))}
          </nav>
        }
      />
      <div className="sheet figures">
        <Rewards dashboard={dashboard} />
        <Figure
          name="watchTime"
          value={number(hours, { maximumFractionDigits: hours < 10 ? 1 : 0 })}
          unit={t('common.unit.h')}
          note={<Change of={watchTime.change} percent days={period} />}
          dashboard={dashboard}
        >
          <Plot figure={watchTime} axis={axis} without={t('dashboard.figures.none')} />
        </Figure>
        {counted.map(([name, figure]) => (
          <Figure
            key={name}
            name={name}
            value={figure.value === null ? '–' : number(figure.value)}
            note={<Change of={figure.change} days={period} />}
            dashboard={dashboard}
          >
            <Plot figure={figure} axis={axis} without={t(`dashboard.figures.unknown.${name}`)} />
          </Figure>
        ))}
        <Figure
          name="channelPoints"
          value={number(channelPoints.value ?? 0)}
          note={t('dashboard.figures.refunded', { count: refunded })}
          dashboard={dashboard}
        >
          <Plot figure={channelPoints} axis={axis} without={t('dashboard.figures.none')} />
        </Figure>
      </div>
    </section>
  );
}
