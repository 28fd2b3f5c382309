import type { ReactNode } from 'react';
import { type Column, Table } from '#app/components/lists/table.tsx';
import { Avatar } from '#app/components/shell/shell.tsx';
import { useWords, type Words } from '#app/components/text/words.ts';
import type { TextKey } from '#app/locales/translation.ts';
import type { ConditionKey } from '#domain/condition/conditions.ts';
import type { RuleViewer } from '#domain/rule/list-rule-viewers.ts';

type ConditionColumn = { label: TextKey; cell(viewer: RuleViewer, words: Words): ReactNode };

/** A column for each condition that has partial progress; redeemed points are met at once. */
const conditionColumns: Record<ConditionKey, ConditionColumn | null> = {
  watch: {
    label: 'rules.viewer.watched',
    cell: ({ progress: { watch }, displayName }, { t, span }) =>
      watch && (
        <span className="stack stack-1 grow">
          <span className="s13">
            {t('common.of', { value: span(watch.haveSeconds), total: span(watch.needSeconds) })}
          </span>
          <progress
            className="meter"
            value={Math.min(watch.haveSeconds, watch.needSeconds)}
            max={watch.needSeconds}
            aria-label={displayName}
          />
        </span>
      ),
  },
  streams: {
    label: 'rules.viewer.streams',
    cell: ({ progress: { streams } }, { t }) =>
      streams && t('common.of', { value: streams.haveStreams, total: streams.needStreams }),
  },
  follow: {
    label: 'rules.viewer.follows',
    cell({ progress: { follow } }, { t, time }) {
      if (!follow) return null;
      if (follow.sinceMs === null) return t('rules.viewer.notFollowing');
      const have = t('common.days', { count: follow.haveDays });
      if (follow.met || follow.metAtMs === null) return have;
      return `${have}, ${t('rules.viewer.metOn', { date: time(follow.metAtMs, 'day') })}`;
    },
  },
  subscriber: {
    label: 'rules.viewer.subscribes',
    cell: ({ progress: { subscriber } }, { t }) =>
      subscriber?.haveTier
        ? t('rules.viewer.tier', { tier: subscriber.haveTier })
        : t('rules.viewer.notFollowing'),
  },
  points: null,
};

/** Registered viewers with progress under a rule. */
export function RuleViewers({ viewers }: { viewers: readonly RuleViewer[] }) {
  const words = useWords();
  const { t } = words;
  const [first] = viewers;
  const asked = (Object.keys(conditionColumns) as ConditionKey[]).filter((key) => first?.progress[key]);
  return (
    <Table
      caption={t('rules.inProgress')}
      rows={viewers}
      rowKey={(viewer) => viewer.twitchId}
      columns={[
        {
          key: 'viewer',
          label: t('rules.viewer.name'),
          plain: true,
          cell: (viewer) => (
            <span className="line line-tight">
              <Avatar name={viewer.displayName} url={viewer.pictureUrl || null} size="small" />
              <b>{viewer.displayName}</b>
            </span>
          ),
        },
        ...asked.flatMap((key): Column<RuleViewer>[] => {
          const column = conditionColumns[key];
          if (!column) return [];
          return [{ key, label: t(column.label), cell: (viewer) => column.cell(viewer, words) }];
        }),
      ]}
    />
  );
}
