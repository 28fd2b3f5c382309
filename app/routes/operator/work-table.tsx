import { Bot } from '#app/components/icons/signs.ts';
import { EmptyState } from '#app/components/lists/list-states.tsx';
import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { OperatorState } from '#app/routes/operator/operator-state.server.ts';

type Work = OperatorState['work'][number];

/** The name of a kind of work, with the slots or accounts that it is divided into. */
function Name({ work: { kind, places, leases } }: { work: Work }) {
  const { t } = useTranslation();
  return (
    <span>
      <b>{t(`operator.work.kind.${kind}`)}</b>
      {places !== '' && (
        <span className="op-note">
          {kind === 'slots' ? t('operator.work.slots', { count: leases, places }) : places}
        </span>
      )}
    </span>
  );
}

/** The process that does it: where it answers, and its own name. */
function Process({ work: { holder, address, version } }: { work: Work }) {
  const { t } = useTranslation();
  if (holder === null) return t('operator.work.nobody');
  return (
    <span className="op-fault">
      {address !== '' && <code>{address}</code>}
      <span className="op-note">{[holder, version].filter(Boolean).join(' · ')}</span>
    </span>
  );
}

/** The processes that take over if this one stops, and after how long. */
function TakeOver({ work: { holder, leftMs, heirs } }: { work: Work }) {
  const { t } = useTranslation();
  const who = heirs.length > 0 ? heirs.join(', ') : t('operator.work.whoever');
  if (holder === null) return <span className="op-fault">{t('operator.work.waits', { who })}</span>;
  return (
    <span className="op-fault">{t('operator.work.after', { seconds: Math.ceil(leftMs / 1000), who })}</span>
  );
}

/** The parts of the bot's work, and who does each. */
export function WorkTable({ work }: { work: readonly Work[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <SectionHead title={t('operator.work.title')} />
      {work.length === 0 ? (
        <EmptyState icon={Bot} title={t('operator.work.noneTitle')}>
          {t('operator.work.none')}
        </EmptyState>
      ) : (
        <div className="sheet">
          <Table
            caption={t('operator.work.title')}
            rows={work}
            rowKey={({ kind, holder }) => `${kind} ${holder}`}
            columns={[
              {
                key: 'work',
                label: t('operator.work.what'),
                plain: true,
                cell: (row) => <Name work={row} />,
              },
              { key: 'process', label: t('operator.work.process'), cell: (row) => <Process work={row} /> },
              {
                key: 'epoch',
                label: t('operator.work.epoch'),
                numeric: true,
                cell: ({ lowestEpoch, highestEpoch }) =>
                  lowestEpoch === highestEpoch ? highestEpoch : `${lowestEpoch}–${highestEpoch}`,
              },
              {
                key: 'since',
                label: t('operator.work.since'),
                cell: ({ sinceMs }) =>
                  sinceMs === 0 ? '–' : <LocalTime ms={sinceMs} className="s13 nowrap" />,
              },
              { key: 'next', label: t('operator.work.next'), cell: (row) => <TakeOver work={row} /> },
            ]}
          />
        </div>
      )}
    </section>
  );
}
