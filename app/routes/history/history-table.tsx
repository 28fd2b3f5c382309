import { Badge, type BadgeType } from '#app/components/feedback/badge.tsx';
import type { Sign } from '#app/components/icons/icon.tsx';
import { Ban, Check, CircleCheck, Timer, Undo2 } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { Link } from '#app/components/shell/link.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { EndedStatus } from '#domain/reward/promise-status.ts';
import type { HistoryEntry } from '#domain/view/list-history.ts';
import '#app/styles/ledger.css';

const looks: Record<EndedStatus, { type: BadgeType; icon: Sign }> = {
  delivered: { type: 'success', icon: Check },
  final: { type: 'success', icon: CircleCheck },
  timedOut: { type: 'plain', icon: Timer },
  reversed: { type: 'danger', icon: Undo2 },
  depositReversed: { type: 'danger', icon: Undo2 },
  stopped: { type: 'plain', icon: Ban },
  recalled: { type: 'plain', icon: Ban },
};

function Ending({ entry }: { entry: HistoryEntry }) {
  const { status, settlesAtMs, claimUntilMs, stopReason } = entry;
  const { t } = useTranslation();
  const time = useTimeText();
  const isDated = status === 'delivered' || status === 'final' || status === 'timedOut';
  const ms = status === 'timedOut' ? claimUntilMs : settlesAtMs;
  const { type, icon } = looks[status];
  return (
    <>
      <Badge type={type} icon={icon}>
        {isDated && ms !== null
          ? t(`history.dated.${status}`, { date: time(ms, 'day') })
          : t(`history.status.${status}`)}
      </Badge>
      {status === 'stopped' && stopReason !== null && (
        <div className="s13 muted">{t(`rewards.stopReason.${stopReason}`)}</div>
      )}
    </>
  );
}

/** Claimed and ended rewards, each with its dates and outcome. */
export function HistoryTable({ entries }: { entries: readonly HistoryEntry[] }) {
  const { t } = useTranslation();
  const time = useTimeText();
  return (
    <Table
      className="ledger--history"
      caption={t('history.title')}
      rows={entries}
      rowKey={({ id }) => id}
      groupOf={({ promisedAtMs }) => {
        const month = time(promisedAtMs, 'month');
        return { key: month, label: <span className="table__month">{month}</span> };
      }}
      columns={[
        {
          key: 'item',
          label: t('history.item'),
          plain: true,
          cell: ({ id, item, deliveredAtMs }) => (
            <ItemLine
              {...pictureOf(item)}
              name={deliveredAtMs === null ? item.name : <Link to={`/wins/${id}`}>{item.name}</Link>}
              meta={<ItemMeta item={item} />}
            />
          ),
        },
        {
          key: 'channel',
          label: t('history.channel'),
          cell: ({ channel }) => (
            <span className="line line-tight line-nowrap">
              <Avatar name={channel.displayName} url={channel.pictureUrl || null} size="small" />
              <span>{channel.displayName}</span>
            </span>
          ),
        },
        {
          key: 'rule',
          label: t('history.rule'),
          cell: (row) => <span className="s13 muted">{row.ruleName}</span>,
        },
        {
          key: 'promised',
          label: t('history.promised'),
          cell: (row) => <LocalTime ms={row.promisedAtMs} className="s13 muted nowrap" />,
        },
        {
          key: 'delivered',
          label: t('history.status.delivered'),
          cell: ({ deliveredAtMs }) =>
            deliveredAtMs === null ? '–' : <LocalTime ms={deliveredAtMs} className="s13 nowrap" />,
        },
        { key: 'status', label: t('history.statusLabel'), cell: (row) => <Ending entry={row} /> },
      ]}
    />
  );
}
