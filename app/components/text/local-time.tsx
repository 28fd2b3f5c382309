import { useEffect } from 'react';
import { useRevalidator } from 'react-router';
import { usePageContext } from '#app/components/shell/page-context.tsx';
import { reportTimeZone } from '#app/islands/time-zone.ts';
import { boundedCache } from '#platform/bounded-cache.ts';
import { useTranslation } from './translation.tsx';

const styles = {
  /** 12 Nov, 16:02 */
  short: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  /** Sat 14 Nov, 18:40 */
  deadline: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  /** 12 Nov 2026 */
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  /** Sat 14 Nov */
  weekdayDate: { weekday: 'short', day: 'numeric', month: 'short' },
  /** Saturday 14 November */
  today: { weekday: 'long', day: 'numeric', month: 'long' },
  /** Sat */
  weekday: { weekday: 'short' },
  /** 14 */
  dayOfMonth: { day: 'numeric' },
  /** 12 Nov */
  day: { day: 'numeric', month: 'short' },
  /** 2026 */
  year: { year: 'numeric' },
  /** November 2026 */
  month: { month: 'long', year: 'numeric' },
  /** 16:02 */
  time: { hour: '2-digit', minute: '2-digit' },
  /** 16:02:11 */
  seconds: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeStyle = keyof typeof styles;

/** Day before month and 24 hours, in English too. */
export const regions: Record<string, string> = { en: 'en-GB', ru: 'ru-RU' };
/** A formatter takes some 30 KB. A zone needs up to two dozen, for all styles in both languages. */
const formats = boundedCache<string, (ms: number) => string>('timeFormats', 250);
/** Pages render again with each change, and show many times repeatedly. */
const MAX_CACHED = 250;

/** Formatting a time costs more than rendering it, so the latest results are cached. */
function keeping(format: Intl.DateTimeFormat): (ms: number) => string {
  const cached = new Map<number, string>();
  return (ms) => {
    const text = cached.get(ms) ?? format.format(ms);
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(ms, text);
    return text;
  };
}

function formatOf(
  language: string,
  timeZone: string,
  style: TimeStyle,
  withYear = false,
): (ms: number) => string {
  const key = `${language} ${timeZone} ${style}${withYear ? ' year' : ''}`;
  const found = formats.get(key);
  if (found) return found;
  // Until the browser's time zone is known, times name their zone.
  const zone: Intl.DateTimeFormatOptions =
    timeZone === 'UTC' && 'hour' in styles[style] ? { timeZoneName: 'short' } : {};
  const made = keeping(
    new Intl.DateTimeFormat(regions[language] ?? language, {
      ...styles[style],
      ...zone,
      ...(withYear && { year: 'numeric' }),
      hourCycle: 'h23',
      timeZone,
    }),
  );
  formats.set(key, made);
  return made;
}

/** Formats a day that is counted in UTC, whatever the visitor's time zone, in which it may span two dates. */
export function useUtcDayText(): (ms: number, style?: 'weekdayDate' | 'day') => string {
  const { language } = useTranslation();
  return (ms, style = 'weekdayDate') => formatOf(language, 'UTC', style)(ms);
}

/**
 * Formats a time as text, in the visitor's language and time zone, where no element is possible. A day and month of
 * another year than the page's get their year.
 */
export function useTimeText(): (ms: number, style?: TimeStyle) => string {
  const { language } = useTranslation();
  const { timeZone, nowMs } = usePageContext();
  const yearOf = formatOf('en', timeZone, 'year');
  return (ms, style = 'short') => {
    const isDate = 'month' in styles[style] && !('year' in styles[style]);
    const withYear = isDate && !!nowMs && yearOf(ms) !== yearOf(nowMs);
    return formatOf(language, timeZone, style, withYear)(ms);
  };
}

/** Formats a range: "12 Nov, 16:02–16:40", one time within a minute, and both dates beyond a day. */
export function useTimesText(): (fromMs: number, untilMs: number) => string {
  const time = useTimeText();
  return (fromMs, untilMs) => {
    const [from, until] = [time(fromMs), time(untilMs)];
    if (from === until) return from;
    return time(fromMs, 'day') === time(untilMs, 'day')
      ? `${from}–${time(untilMs, 'time')}`
      : `${from} – ${until}`;
  };
}

/** A time in the visitor's time zone. Server and browser are given the same zone, so their markup agrees. */
export function LocalTime({
  ms,
  style = 'short',
  className,
}: {
  ms: number;
  style?: TimeStyle;
  className?: string;
}) {
  const text = useTimeText();
  return (
    // The browser's locale data may be newer than the server's: a comma must not fail hydration.
    <time dateTime={new Date(ms).toISOString()} className={className} suppressHydrationWarning>
      {text(ms, style)}
    </time>
  );
}

/** Reports the browser's time zone to the server once, and reloads the page's data if it differs. */
export function useTimeZoneReport(): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (reportTimeZone()) void revalidate();
  }, [revalidate]);
}
