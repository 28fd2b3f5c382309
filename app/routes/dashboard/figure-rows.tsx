import { type Column, Table } from '#app/components/lists/table.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useUtcDayText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { FigureTable, StreamerDashboard } from '#app/routes/dashboard/streamer-dashboard.server.ts';

type Day = FigureTable['days'][number];
type StatusRow = { name: string; now: number | null; since: number | null };

/** Rewards by status: those on rules now, and the outcome of the period's promises. */
function StatusRows({ rewards: { now, since }, period }: Pick<StreamerDashboard, 'rewards' | 'period'>) {
  const { t } = useTranslation();
  const number = useNumberText();
  const rows: StatusRow[] = [
    { name: t('rewards.state.free'), now: now.free, since: null },
    { name: t('rewards.state.promised'), now: now.promised, since: since.promised },
    { name: t('rewards.state.preparing'), now: now.preparing, since: null },
    { name: t('rewards.state.reserved'), now: now.reserved - now.preparing, since: null },
    { name: t('rewards.state.claimed'), now: null, since: since.claimed },
    { name: t('progress.status.timedOut'), now: null, since: since.timedOut },
    { name: t('history.status.reversed'), now: null, since: since.reversed },
    { name: t('rewards.state.recalled'), now: null, since: since.recalled },
  ];
  const cell = (value: number | null) => (value === null ? null : number(value));
  const columns: Column<StatusRow>[] = [
    { key: 'name', label: t('dashboard.figures.status'), cell: ({ name }) => name, plain: true },
    { key: 'now', label: t('dashboard.figures.now'), cell: (row) => cell(row.now), numeric: true },
    {
      key: 'since',
      label: t('dashboard.figures.promisesOf', { days: period }),
      cell: (row) => cell(row.since),
      numeric: true,
    },
  ];
  return (
    <Table
      caption={t('dashboard.figures.rewards')}
      columns={columns}
      rows={rows}
      rowKey={({ name }) => name}
    />
  );
}

/** The days of the period, latest first. */
function DayRows({ of: name, days }: FigureTable) {
  const { t } = useTranslation();
  const number = useNumberText();
  const dayText = useUtcDayText();
  const columns: Column<Day>[] = [
    {
      key: 'day',
      label: t('dashboard.figures.day'),
      cell: ({ dayMs }) => dayText(dayMs),
      plain: true,
    },
    {
      key: 'value',
      label: t(`dashboard.figures.column.${name}`),
      cell: ({ value }) => (value === null ? null : number(value, { maximumFractionDigits: 1 })),
      numeric: true,
    },
  ];
  const refunded: Column<Day> = {
    key: 'refunded',
    label: t('dashboard.figures.column.refunded'),
    cell: (row) => number(row.refunded),
    numeric: true,
  };
  return (
    <Table
      caption={t(`dashboard.figures.${name}`)}
      columns={name === 'channelPoints' ? [...columns, refunded] : columns}
      rows={days}
      rowKey={({ dayMs }) => dayMs}
    />
  );
}

/** The requested table, in a box of its own height. */
export function FigureRows({
  dashboard,
}: {
  dashboard: Pick<StreamerDashboard, 'table' | 'rewards' | 'period'>;
}) {
  const { t } = useTranslation();
  const { table } = dashboard;
  if (!table) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a scrolling box is no fieldset.
    <div className="twin__table" tabIndex={0} role="group" aria-label={t(`dashboard.figures.${table.of}`)}>
      {table.of === 'rewards' ? <StatusRows {...dashboard} /> : <DayRows {...table} />}
    </div>
  );
}
