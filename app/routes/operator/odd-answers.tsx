import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { OperatorState } from '#app/routes/operator/operator-state.server.ts';

const platformNames = { steam: 'Steam', twitch: 'Twitch', stripe: 'Stripe' } as const;

/** The ways in which Steam, Twitch and Stripe answered that this version does not know. */
export function OddAnswers({ odd }: { odd: OperatorState['oddAnswers'] }) {
  const { t } = useTranslation();
  const number = useNumberText();
  if (odd.length === 0) return null;
  return (
    <section>
      <SectionHead
        title={t('operator.answers.title')}
        aside={<span className="s13 muted">{t('operator.answers.how')}</span>}
      />
      <div className="sheet">
        <Table
          caption={t('operator.answers.title')}
          rows={odd}
          rowKey={({ id }) => id}
          columns={[
            {
              key: 'what',
              label: t('operator.answers.what'),
              plain: true,
              cell: ({ platform, place, path, difference, found }) => (
                <span className="op-fault">
                  {t(`operator.answers.${difference}`, { field: path || '–', found: found || '“”' })}
                  <code className="op-note">{`${platformNames[platform]} · ${place}`}</code>
                </span>
              ),
            },
            {
              key: 'reaction',
              label: t('operator.answers.reaction'),
              cell: ({ reaction }) => t(`operator.answers.${reaction}`),
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
              cell: ({ lastSeenAtMs }) => <LocalTime ms={lastSeenAtMs} className="s13 nowrap" />,
            },
          ]}
        />
      </div>
    </section>
  );
}
