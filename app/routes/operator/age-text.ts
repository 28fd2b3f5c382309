import { useSpanText } from '#app/components/text/amounts.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

const MINUTE_S = 60;

/** Formats how long something has lasted: "40 s", "2 min", "1 day 3 h". */
export function useAgeText(): (ms: number) => string {
  const { t } = useTranslation();
  const span = useSpanText();
  return (ms) => {
    const seconds = Math.floor(ms / 1000);
    return seconds < MINUTE_S ? `${seconds} ${t('operator.seconds')}` : span(seconds);
  };
}
