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

/** The smallest chance shown as a number. */
const LEAST = 0.0001;

/** A chance as a percentage. A possible draw is never shown as 0 %, and an uncertain one never as 100 %. */
export function useChanceText(): (chance: number) => string {
  const number = useNumberText();
  const percent = (chance: number) => number(chance, { style: 'percent', maximumFractionDigits: 2 });
  return (chance) => {
    if (chance > 0 && chance < LEAST) return `<\u00a0${percent(LEAST)}`;
    if (chance < 1 && chance > 1 - LEAST) return `>\u00a0${percent(1 - LEAST)}`;
    return percent(chance);
  };
}
