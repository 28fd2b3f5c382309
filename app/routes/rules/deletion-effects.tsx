import { AffectedList } from '#app/components/feedback/confirm.tsx';
import { useNumberText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { ListedRule } from '#domain/rule/list-rules.ts';

type Props = {
  rule: Pick<ListedRule, 'pool' | 'waiting'>;
  /** Number of viewers in progress; null if they were not counted. */
  inProgress: number | null;
};

/** Viewers' losses when a rule is deleted. */
export function DeletionEffects({ rule: { pool, waiting }, inProgress }: Props) {
  const { t } = useTranslation();
  const number = useNumberText();
  const rows = [
    { label: t('rules.delete.freed'), value: number(pool.free) },
    { label: t('rules.delete.stand'), value: number(pool.promised + pool.reserved) },
    { label: t('rules.delete.waiting'), value: number(waiting) },
  ];
  if (inProgress !== null) rows.push({ label: t('rules.delete.inProgress'), value: number(inProgress) });
  return <AffectedList rows={rows} />;
}
