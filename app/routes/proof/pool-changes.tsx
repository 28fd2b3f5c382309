import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { PoolChange } from '#domain/draw/pool-changes.ts';

/** What the streamer changed between draws, with time and count; the latest first. */
export function PoolChanges({ changes, total }: { changes: readonly PoolChange[]; total: number }) {
  const { t } = useTranslation();
  const number = useNumberText();
  const said = ({ added, weightBefore, weight }: PoolChange) => {
    if (weightBefore !== null && weight !== null)
      return t('proof.changes.weighed', { before: number(weightBefore), after: number(weight) });
    return added > 0
      ? t('proof.changes.added', { count: added })
      : t('proof.changes.removed', { count: -added });
  };
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
              cell: ({ atMs }) => <LocalTime ms={atMs} className="s13 muted nowrap" />,
            },
          ]}
        />
      </div>
      {total > changes.length && <p className="s13 muted">{t('proof.changes.more')}</p>}
    </section>
  );
}
