import { CircleCheck } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { RecentFault } from '#platform/recent-faults.ts';

/** The last warnings and errors, in the log's own words, which are English. */
export function FaultTable({ faults }: { faults: readonly RecentFault[] }) {
  const { t } = useTranslation();
  const number = useNumberText();
  return (
    <section>
      <SectionHead
        title={t('operator.faults.title')}
        aside={<span className="s13 muted">{t('operator.faults.since')}</span>}
      />
      {faults.length === 0 ? (
        <EmptyState icon={CircleCheck} title={t('operator.faults.noneTitle')}>
          {t('operator.faults.none')}
        </EmptyState>
      ) : (
        <div className="sheet">
          <Table
            caption={t('operator.faults.title')}
            rows={faults}
            rowKey={({ where, message }) => `${where} ${message}`}
            columns={[
              {
                key: 'what',
                label: t('operator.faults.what'),
                plain: true,
                cell: ({ message, detail }) => (
                  <span lang="en" className="op-fault">
                    {message}
                    {detail !== null && <code className="op-note">{detail}</code>}
                  </span>
                ),
              },
              {
                key: 'where',
                label: t('operator.faults.where'),
                cell: ({ where }) => <code className="s13">{where}</code>,
              },
              {
                key: 'count',
                label: t('operator.faults.count'),
                numeric: true,
                cell: ({ count }) => number(count),
              },
              {
                key: 'last',
                label: t('operator.faults.last'),
                cell: ({ lastAtMs }) => <LocalTime ms={lastAtMs} className="s13 nowrap" />,
              },
            ]}
          />
        </div>
      )}
    </section>
  );
}
