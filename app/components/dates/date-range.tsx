import { type KeyboardEvent, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useHydrated } from '#app/components/feedback/confirm.tsx';
import { Button } from '#app/components/forms/button.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { Calendar as CalendarSign } from '#app/components/icons/signs.ts';
import { Link } from '#app/components/shell/link.tsx';
import { useTranslation } from '#app/components/text/translation.tsx';
import { Calendar } from './calendar.tsx';
import { firstMonth, lastMonth } from './calendar-month.ts';
import { useDayText } from './day-text.ts';

/** A preset range. Its ends have the format of the fields: 2026-11-30T16:20. */
export type DatePreset = {
  name: 'today' | 'last7Days' | 'last30Days' | 'thisMonth' | 'lastMonth';
  from: string;
  to: string;
};

type Props = { from: string; to: string; presets: readonly DatePreset[] };

const ends = ['from', 'to'] as const;
const startOfDay = (day: string) => `${day}T00:00`;
const endOfDay = (day: string) => `${day}T23:55`;
const dayOf = (moment: string) => moment.slice(0, 10);

function useRangeText(): (from: string, to: string) => string {
  const { t } = useTranslation();
  const text = useDayText();
  return (from, to) => {
    if (from === '' && to === '') return t('common.dates.allTime');
    if (from === '') return t('common.dates.until', { date: text.day(dayOf(to)) });
    if (to === '') return t('common.dates.since', { date: text.day(dayOf(from)) });
    return text.range(dayOf(from), dayOf(to));
  };
}

/** Links to the preset ranges; the address keeps its other filters. */
function Presets({ presets }: Pick<Props, 'presets'>) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const to = (range: { from: string; to: string }) => {
    const changed = new URLSearchParams(query);
    for (const name of ['after', 'after-trail', 'open']) changed.delete(name);
    for (const end of ends) range[end] === '' ? changed.delete(end) : changed.set(end, range[end]);
    return `?${changed}`;
  };
  return (
    <div className="range__presets">
      {[...presets, { name: 'allTime' as const, from: '', to: '' }].map(({ name, ...range }) => (
        <Link key={name} className="btn btn--quiet btn--small" to={to(range)} preventScrollReset>
          {t(`common.dates.${name}`)}
        </Link>
      ))}
    </div>
  );
}

/** Fields for the first and the last minute, as part of a list's filters. They also work without JavaScript. */
export function DateRange({ from, to, presets }: Props) {
  const { t } = useTranslation();
  const rangeText = useRangeText();
  const hydrated = useHydrated();
  const details = useRef<HTMLDetailsElement>(null);
  const [range, setRange] = useState({ from, to });
  const onPick = (day: string) =>
    setRange(({ from: first, to: last }) =>
      first === '' || last !== '' || day < dayOf(first)
        ? { from: startOfDay(day), to: '' }
        : { from: first, to: endOfDay(day) },
    );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !details.current?.open) return;
    details.current.open = false;
    details.current.querySelector('summary')?.focus();
  };
  return (
    <details className="pick" ref={details} onKeyDown={onKeyDown}>
      <summary className="btn btn--secondary">
        <Icon of={CalendarSign} />
        <span suppressHydrationWarning>{rangeText(from, to)}</span>
      </summary>
      <div className="range">
        <Presets presets={presets} />
        {hydrated && (
          <Calendar
            chosen={{ from: dayOf(range.from), to: dayOf(range.to) }}
            today={dayOf(presets[0]?.from ?? from)}
            onPick={onPick}
          />
        )}
        <div className="range__foot">
          {ends.map((end) => (
            <label className="field grow" key={end}>
              <span className="field__label">{t(`common.dates.${end}`)}</span>
              <input
                className="input"
                name={end}
                type="datetime-local"
                step={300}
                min={`${firstMonth}-01T00:00`}
                max={`${lastMonth}-31T23:55`}
                value={range[end]}
                onChange={({ target }) => setRange((before) => ({ ...before, [end]: target.value }))}
              />
            </label>
          ))}
          <Button kind="primary">{t('common.dates.show')}</Button>
        </div>
      </div>
    </details>
  );
}
