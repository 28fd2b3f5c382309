import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { PoolChange } from '#domain/draw/pool-changes.ts';

/** The changes between draws, with time and count; latest first. */
export function PoolChanges({ changes, total }: { changes: readonly PoolChange[]; total: number }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const what = ({ cause, added, weightBefore, weight }: PoolChange) =>
    cause === 'weighed'
      ? t('proof.changes.weighed', { before: number(weightBefore ?? 1), after: number(weight ?? 1) })
      : t(`proof.changes.${cause}`, { count: Math.abs(added) });
  const said = (change: PoolChange) =>
    change.times === 1
      ? what(change)
      : t('proof.changes.repeated', { what: what(change), count: change.times });
  return (
    <section className="stack stack-3 mt-8">
      <SectionHead
        title={t('proof.changes.title')}
        aside={<span className="s13 muted">{t('proof.changes.count', { count: total })}</span>}
      />
      <p className="s13 muted">{t('proof.changes.text')}</p>
      <div className="sheet">
        <Table
          caption={t('proof.changes.title')}
          rows={changes.map((change, place) => ({ ...change, place }))}
          rowKey={({ place }) => place}
          columns={[
            {
              key: 'kind',
              label: t('proof.kind'),
              plain: true,
              cell: ({ kindName }) => <b>{kindName}</b>,
            },
            { key: 'change', label: t('proof.changes.change'), cell: said },
            {
              key: 'draw',
              label: t('proof.changes.after'),
              cell: ({ afterDraw }) => t('proof.draw', { number: afterDraw }),
            },
            {
              key: 'when',
              label: t('proof.when'),
              cell: ({ atMs, lastAtMs }) => (
                <>
                  <LocalTime ms={atMs} className="s13 muted nowrap" />
                  {lastAtMs > atMs && (
                    <>
                      {' – '}
                      <LocalTime ms={lastAtMs} className="s13 muted nowrap" />
                    </>
                  )}
                </>
              ),
            },
          ]}
        />
      </div>
      {total > changes.reduce((sum, { times }) => sum + times, 0) && (
        <p className="s13 muted">{t('proof.changes.more')}</p>
      )}
    </section>
  );
}
