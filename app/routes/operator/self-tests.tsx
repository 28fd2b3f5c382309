import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { OperatorState } from '#app/routes/operator/operator-state.server.ts';

/** The endpoints of Steam that do not show what others show of a bot's own offers, and the time of the last test. */
export function SelfTests({ tests }: { tests: OperatorState['selfTests'] }) {
  const { t } = useTranslation();
  if (tests.length === 0) return null;
  const differing = tests.filter(({ difference }) => difference !== null);
  return (
    <section>
      <SectionHead
        title={t('operator.selfTests.title')}
        aside={
          <span className="s13 muted">
            {t('operator.selfTests.last')}{' '}
            <LocalTime ms={Math.max(...tests.map(({ testedAtMs }) => testedAtMs))} />
          </span>
        }
      />
      {differing.length === 0 ? (
        <p className="muted">{t('operator.selfTests.agree')}</p>
      ) : (
        <div className="sheet">
          <Table
            caption={t('operator.selfTests.title')}
            rows={differing}
            rowKey={({ botId, endpoint, appId, offers }) => `${botId} ${endpoint} ${appId} ${offers}`}
            columns={[
              {
                key: 'what',
                label: t('operator.selfTests.what'),
                plain: true,
                cell: ({ botId, endpoint, appId, offers, difference, offerId }) => (
                  <span className="op-fault">
                    {t(`operator.selfTests.${difference ?? 'absent'}`, {
                      where: t(`operator.selfTests.${endpoint}`),
                    })}
                    <code className="op-note">{`${botId} · ${appId} · ${offerId} (${t(`operator.selfTests.${offers}`)})`}</code>
                  </span>
                ),
              },
              {
                key: 'reaction',
                label: t('operator.answers.reaction'),
                cell: () => t('operator.selfTests.reaction'),
              },
              {
                key: 'since',
                label: t('operator.selfTests.since'),
                cell: ({ differsSinceMs }) => <LocalTime ms={differsSinceMs ?? 0} className="s13 nowrap" />,
              },
            ]}
          />
        </div>
      )}
    </section>
  );
}
