import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '#app/components/forms/button.tsx';
import { Icon } from '#app/components/icons/icon.tsx';
import { ChevronLeft, ChevronRight } from '#app/components/icons/signs.ts';
import { useTranslation } from '#app/components/text/translation.tsx';
import {
  addDays,
  addMonths,
  addMonthsToDay,
  endOfWeek,
  firstMonth,
  lastMonth,
  monthOf,
  startOfWeek,
  weeksOf,
} from './calendar-month.ts';
import { useDayText } from './day-text.ts';

/** A swipe must move this many pixels to turn the page. */
const SWIPE_PX = 10;
const monthNumbers = Array.from({ length: 12 }, (_, place) => String(place + 1).padStart(2, '0'));
const [firstYear, lastYear] = [Number(firstMonth.slice(0, 4)), Number(lastMonth.slice(0, 4))];

/** The day that each key moves to. */
const moves: Record<string, (day: string, more: boolean) => string> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  Home: startOfWeek,
  End: endOfWeek,
  PageUp: (day, more) => addMonthsToDay(day, more ? -12 : -1),
  PageDown: (day, more) => addMonthsToDay(day, more ? 12 : 1),
};

type Chosen = { from: string; to: string };

type MonthProps = {
  month: string;
  chosen: Chosen;
  today: string;
  /** The only day in the tab order; arrow keys move on from it. */
  reached: string;
  onPick: (day: string) => void;
};

function classOf(day: string, { from, to }: Chosen): string | undefined {
  if (from === '' || day < from) return undefined;
  if (day === from) return to === '' || to === from ? 'from to' : 'from';
  if (to === '' || day > to) return undefined;
  return day === to ? 'to' : 'in';
}

function Month({ month, chosen, today, reached, onPick }: MonthProps) {
  const text = useDayText();
  const weeks = weeksOf(month);
  // The first days of 2001 began with a Monday.
  const weekdays = monthNumbers.slice(0, 7).map((number) => `2001-01-${number}`);
  return (
    <table className="cal">
      <caption>{text.day(month, 'month')}</caption>
      <thead>
        <tr>
          {weekdays.map((day) => (
            <th key={day} scope="col" abbr={text.day(day, 'weekdayName')}>
              {text.day(day, 'weekday').slice(0, 2)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find((day) => day !== null)}>
            {week.map((day, place) =>
              day === null ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: empty cells have no other key.
                <td key={place} />
              ) : (
                <td key={day} className={classOf(day, chosen)}>
                  <button
                    type="button"
                    data-day={day}
                    tabIndex={day === reached ? 0 : -1}
                    aria-label={text.day(day, 'full')}
                    aria-pressed={day === chosen.from || day === chosen.to}
                    aria-current={day === today ? 'date' : undefined}
                    onClick={() => onPick(day)}
                  >
                    {Number(day.slice(8))}
                  </button>
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Handles a horizontal swipe: it turns the page, and the click that ends it selects no day. */
function useSwipe(turn: (amount: number) => void) {
  const start = useRef<{ x: number; y: number } | null>(null);
  const swiped = useRef(false);
  return {
    onPointerDown({ clientX, clientY, pointerType }: PointerEvent) {
      swiped.current = false;
      start.current = pointerType === 'mouse' ? null : { x: clientX, y: clientY };
    },
    onPointerUp({ clientX, clientY }: PointerEvent) {
      if (!start.current) return;
      const [x, y] = [clientX - start.current.x, clientY - start.current.y];
      start.current = null;
      if (Math.abs(x) < SWIPE_PX || Math.abs(x) <= Math.abs(y)) return;
      swiped.current = true;
      turn(x < 0 ? 1 : -1);
    },
    onClickCapture(event: { stopPropagation: () => void }) {
      if (swiped.current) event.stopPropagation();
      swiped.current = false;
    },
  };
}

type NavigationProps = { month: string; onShow: (month: string) => void };

function Navigation({ month, onShow }: NavigationProps) {
  const { t } = useTranslation();
  const text = useDayText();
  const year = useRef<HTMLInputElement>(null);
  // While a year is being typed, the text and the focus stay.
  useEffect(() => {
    const input = year.current;
    if (input && input !== document.activeElement) input.value = month.slice(0, 4);
  }, [month]);
  const turn = (
    name: 'earlier' | 'later',
    icon: typeof ChevronLeft | typeof ChevronRight,
    amount: number,
  ) => (
    <Button
      type="button"
      kind="quiet"
      className={amount > 0 ? 'btn--icon push' : 'btn--icon'}
      size="small"
      aria-label={t(`common.dates.${name}`)}
      disabled={addMonths(month, amount) === month}
      onClick={() => onShow(addMonths(month, amount))}
    >
      <Icon of={icon} />
    </Button>
  );
  return (
    <div className="range__nav">
      {turn('earlier', ChevronLeft, -1)}
      <select
        className="select"
        aria-label={t('common.dates.month')}
        value={month.slice(5)}
        onChange={(event) => onShow(`${month.slice(0, 5)}${event.target.value}`)}
      >
        {monthNumbers.map((number) => (
          <option key={number} value={number}>
            {text.day(`2001-${number}`, 'monthName')}
          </option>
        ))}
      </select>
      <input
        className="input"
        type="number"
        min={firstYear}
        max={lastYear}
        aria-label={t('common.dates.year', { first: firstYear, last: lastYear })}
        ref={year}
        defaultValue={month.slice(0, 4)}
        onChange={({ target }) => {
          if (target.value !== '' && target.validity.valid) onShow(`${target.value}${month.slice(4)}`);
        }}
      />
      {turn('later', ChevronRight, 1)}
    </div>
  );
}

type Props = { chosen: Chosen; today: string; onPick: (day: string) => void };

/** Two months, or one on small screens, for picking the first and the last day. */
export function Calendar({ chosen, today, onPick }: Props) {
  const { t } = useTranslation();
  const [reached, setReached] = useState(chosen.from || chosen.to || today);
  const [shown, setShown] = useState(monthOf(reached));
  const months = useRef<HTMLDivElement>(null);
  const moving = useRef(false);
  const hint = useId();
  const show = (month: string) => {
    setShown(month);
    setReached(`${month}-01`);
  };
  useEffect(() => {
    if (!moving.current) return;
    const button = months.current?.querySelector<HTMLElement>(`[data-day="${reached}"]`);
    if (button?.checkVisibility()) {
      moving.current = false;
      button.focus();
    } else if (shown !== monthOf(reached)) setShown(monthOf(reached));
  }, [reached, shown]);
  const onKeyDown = (event: KeyboardEvent) => {
    const move = moves[event.key];
    if (!move || !(event.target instanceof HTMLElement) || !event.target.dataset.day) return;
    event.preventDefault();
    moving.current = true;
    setReached(move(event.target.dataset.day, event.shiftKey));
  };
  const month = { chosen, today, reached, onPick };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring the look of a form's part.
    <div
      className="range__months"
      ref={months}
      role="group"
      aria-label={t('common.dates.calendar')}
      aria-describedby={hint}
      onKeyDown={onKeyDown}
      {...useSwipe((amount) => show(addMonths(shown, amount)))}
    >
      <Navigation month={shown} onShow={show} />
      <Month month={shown} {...month} />
      {shown < lastMonth && <Month month={addMonths(shown, 1)} {...month} />}
      <p className="vh" id={hint} role="status">
        {t(chosen.from !== '' && chosen.to === '' ? 'common.dates.pickLast' : 'common.dates.pickFirst')}
      </p>
    </div>
  );
}
