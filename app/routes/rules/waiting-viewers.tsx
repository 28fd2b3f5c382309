import { Table } from '#app/components/lists/table.tsx';
import { SectionHead } from '#app/components/shell/page-head.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { LocalTime } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { Page } from '#domain/kernel/page.ts';
import type { WaitingViewer } from '#domain/view/list-waiting.ts';
import { MoreRows } from './rule-lists.tsx';

type Props = { waiting: Page<WaitingViewer>; total: number };

/** Viewers who met a rule and wait for a free reward, next in line first. */
export function WaitingViewers({ waiting, total }: Props) {
  const { t } = useTranslation();
  const number = useNumberText();
  return (
    <section>
      <SectionHead
        title={t('rules.waitingList')}
        aside={<span className="s13 muted">{t('rules.waitingCount', { count: total })}</span>}
      />
      <div className="sheet">
        <Table
          caption={t('rules.waitingList')}
          rows={waiting.rows}
          rowKey={({ twitchId }) => twitchId}
          columns={[
            { key: 'place', label: t('rules.place'), cell: ({ place }) => number(place) },
            {
              key: 'viewer',
              label: t('rules.viewer.name'),
              cell: ({ displayName, pictureUrl }) => {
                const name = displayName ?? t('rules.viewer.gone');
                return (
                  <span className="line line-tight line-nowrap">
                    <Avatar name={name} url={pictureUrl || null} size="small" />
                    <b>{name}</b>
                  </span>
                );
              },
            },
            {
              key: 'met',
              label: t('rules.metAt'),
              cell: ({ qualifiedAtMs }) => <LocalTime ms={qualifiedAtMs} className="s13 muted nowrap" />,
            },
          ]}
        />
        <MoreRows parameter="waiting" next={waiting.next} />
      </div>
    </section>
  );
}
