import { Package } from '#app/components/icons/signs.ts';
import { pictureOf } from '#app/components/items/item-facts.ts';
import { ItemLine } from '#app/components/items/item-line.tsx';
import { ItemMeta } from '#app/components/items/item-meta.tsx';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useNumberText, useSpanText } from '#app/components/text/amounts.tsx';
import { LocalTime, useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { StopReason } from '#db/schema/reward.ts';
import type { Delivery, DeliveryRecord } from '#domain/view/get-deliveries.ts';

function Viewer({ viewer }: Pick<Delivery, 'viewer'>) {
  const { t } = useTranslation();
  if (!viewer) return <span className="muted">{t('channelPage.aViewer')}</span>;
  return (
    <span className="line line-tight line-nowrap">
      <Avatar name={viewer.displayName} url={viewer.pictureUrl || null} size="small" />
      <b>{viewer.displayName}</b>
    </span>
  );
}

/** The latest delivered items. */
export function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { t } = useTranslation();
  const title = t('channelPage.latest');
  return (
    <section>
      <SectionHead title={title} />
      {deliveries.length === 0 ? (
        <EmptyState icon={Package} title={t('channelPage.noneTitle')}>
          {t('channelPage.none')}
        </EmptyState>
      ) : (
        <div className="sheet clip">
          <Table
            caption={title}
            rows={deliveries}
            rowKey={({ id }) => id}
            columns={[
              {
                key: 'item',
                label: t('items.custody.item'),
                plain: true,
                cell: ({ item }) => (
                  <ItemLine {...pictureOf(item)} name={item.name} meta={<ItemMeta item={item} />} />
                ),
              },
              { key: 'viewer', label: t('rules.viewer.name'), cell: (row) => <Viewer viewer={row.viewer} /> },
              {
                key: 'rule',
                label: t('channelPage.rule'),
                cell: ({ ruleName }) => <span className="s13 muted">{ruleName}</span>,
              },
              {
                key: 'when',
                label: t('rewards.state.claimed'),
                cell: ({ deliveredAtMs }) => <LocalTime ms={deliveredAtMs} className="s13 muted nowrap" />,
              },
            ]}
          />
          <div className="sheet__foot">{t('channelPage.hideName')}</div>
        </div>
      )}
    </section>
  );
}

/** Delivered, lost and open promises as parts of one bar; the numbers are above it. */
function Split({ record: { promised, delivered, timedOut, reversed } }: { record: DeliveryRecord }) {
  const share = (count: number) => (100 * count) / promised;
  return (
    <svg
      className="split"
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <rect className="split__rest" width="100" height="4" />
      <rect className="split__delivered" width={share(delivered)} height="4" />
      <rect className="split__reversed" x={share(delivered)} width={share(reversed)} height="4" />
      <rect className="split__timed-out" x={share(delivered + reversed)} width={share(timedOut)} height="4" />
    </svg>
  );
}

/** The claims that owners of rules stopped here, of all promises: it must not pay to stop some and wait. */
function Stopped({ stopped }: Pick<DeliveryRecord, 'stopped'>) {
  const { t } = useTranslation();
  const counted = (Object.keys(stopped) as StopReason[]).filter((reason) => stopped[reason] > 0);
  if (counted.length === 0) return null;
  return (
    <div className="s13 muted">
      {t('channelPage.stoppedTitle')}
      <ul>
        {counted.map((reason) => (
          <li key={reason}>{t(`channelPage.stopped.${reason}`, { count: stopped[reason] })}</li>
        ))}
      </ul>
    </div>
  );
}

/** The outcome of the channel's latest promises, and how it is counted. */
export function RecordSheet({ record }: { record: DeliveryRecord }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const span = useSpanText();
  const time = useTimeText();
  const { promised, delivered, timedOut, reversed, underWay, medianMs, sinceMs, isWhole } = record;
  const numbers = [
    { label: t('rewards.state.promised'), value: number(promised) },
    { label: t('rewards.state.claimed'), value: number(delivered) },
    { label: t('progress.status.timedOut'), value: number(timedOut) },
    { label: t('channelPage.median'), value: medianMs === null ? '–' : span(Math.max(60, medianMs / 1000)) },
  ];
  return (
    <section>
      <SectionHead title={t('channelPage.record')} />
      <div className="sheet sheet__pad stack">
        <dl className="record">
          {numbers.map(({ label, value }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {promised > 0 && <Split record={record} />}
        {(underWay > 0 || reversed > 0) && (
          <p className="s13 muted">
            {underWay > 0 && t('channelPage.underWay', { count: underWay })}{' '}
            {reversed > 0 && t('channelPage.reversed', { count: reversed })}
          </p>
        )}
        <Stopped stopped={record.stopped} />
        <p className="s13 faint ruled">
          {sinceMs === null
            ? t('channelPage.noRecord')
            : isWhole
              ? t('channelPage.countedAll', { date: time(sinceMs, 'date') })
              : t('channelPage.counted', { count: promised, date: time(sinceMs, 'date') })}
        </p>
      </div>
    </section>
  );
}
