import { regions } from '#app/components/text/local-time.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';

const styles = {
  /** 30 Nov 2026 */
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  /** Monday 30 November 2026 */
  full: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  /** November 2026 */
  month: { month: 'long', year: 'numeric' },
  /** November */
  monthName: { month: 'long' },
  /** Mon */
  weekday: { weekday: 'short' },
  /** Monday */
  weekdayName: { weekday: 'long' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

export type DayStyle = keyof typeof styles;

/** Formats calendar dates such as 2026-11-30 or 2026-11, independent of any time zone. */
export function useDayText() {
  const { language } = useTranslation();
  const format = (style: DayStyle) =>
    new Intl.DateTimeFormat(regions[language], { ...styles[style], timeZone: 'UTC' });
  return {
    day: (day: string, style: DayStyle = 'date') => format(style).format(new Date(day)),
    range: (from: string, to: string) => format('date').formatRange(new Date(from), new Date(to)),
  };
}
