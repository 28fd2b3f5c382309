import { useTimeText } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Says when a reward was delivered and since or from when Steam can no longer reverse that. */
export function useWinDates(): (win: {
  status?: 'delivered' | 'final' | 'reversed';
  deliveredAtMs: number;
  settlesAtMs: number | null;
}) => string {
  const { t } = useTranslation();
  const time = useTimeText();
  return ({ status = 'delivered', deliveredAtMs, settlesAtMs }) => {
    const date = time(deliveredAtMs);
    if (settlesAtMs === null || status === 'reversed') return t('win.deliveredAt', { date });
    const until = time(settlesAtMs, 'date');
    return status === 'final'
      ? t('win.finalSince', { date, until })
      : t('win.deliveredUntilFinal', { date, until });
  };
}
