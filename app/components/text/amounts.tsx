import { boundedCache } from '#platform/bounded-cache.ts';
import { useTranslation } from './translation.tsx';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** A duration in its two largest units: "1 day 22 h", "7 h 12 min", "0 min". */
export function useSpanText(): (seconds: number) => string {
  const { t } = useTranslation();
  return (seconds) => {
    const days = Math.floor(seconds / day);
    const hours = Math.floor((seconds % day) / hour);
    const minutes = Math.floor((seconds % hour) / minute);
    if (days > 0)
      return hours > 0
        ? `${t('common.days', { count: days })} ${hours} ${t('common.unit.h')}`
        : t('common.days', { count: days });
    if (hours > 0)
      return minutes > 0
        ? `${hours} ${t('common.unit.h')} ${minutes} ${t('common.unit.min')}`
        : `${hours} ${t('common.unit.h')}`;
    return `${minutes} ${t('common.unit.min')}`;
  };
}

const formats = boundedCache<string, Intl.NumberFormat>('numberFormats', 100);

/** Creating a formatter costs about fifty times as much as using it. */
function formatOf(language: string, options: Intl.NumberFormatOptions | undefined): Intl.NumberFormat {
  const key = options ? `${language} ${JSON.stringify(options)}` : language;
  const format = formats.get(key) ?? new Intl.NumberFormat(language, options);
  formats.set(key, format);
  return format;
}

/** Formats numbers in the page's language. */
export function useNumberText(): (value: number, options?: Intl.NumberFormatOptions) => string {
  const { language } = useTranslation();
  return (value, options) => formatOf(language, options).format(value);
}
