import { Twin } from '#app/components/lists/table.tsx';
import { useTimesText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import type { WatchGap } from '#domain/watch-time/list-gaps.ts';

/** The reasons why intervals of a stream did not count. */
export function Gaps({ gaps }: { gaps: readonly WatchGap[] }) {
  const { t } = useTranslation();
  const times = useTimesText();
  if (gaps.length === 0) return null;
  return (
    <Twin label={t('progress.gaps', { count: gaps.length })}>
      <dl className="kv kv--start">
        {gaps.map(({ fromMs, untilMs, reason }) => (
          <div className="kv__row" key={`${reason} ${fromMs}`}>
            <dt>{times(fromMs, untilMs)}</dt>
            <dd>{t(`progress.gap.${reason}`)}</dd>
          </div>
        ))}
      </dl>
    </Twin>
  );
}
