// Days are written 2026-11-30 and months 2026-11, so that they compare as text.

export const firstMonth = '1900-01';
export const lastMonth = '2100-12';

const dateOf = (day: string): Date => new Date(`${day.length === 7 ? `${day}-01` : day}T00:00:00Z`);
const dayText = (date: Date): string => date.toISOString().slice(0, 10);
const within = (text: string, first: string, last: string): string =>
  text < first ? first : text > last ? last : text;

export const monthOf = (day: string): string => day.slice(0, 7);

/** Returns the month that many months later, within the selectable years. */
export function addMonths(month: string, amount: number): string {
  const date = dateOf(month);
  const later = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + amount, 1));
  return within(dayText(later).slice(0, 7), firstMonth, lastMonth);
}

/** Returns the day that many days later, within the selectable years. */
export function addDays(day: string, amount: number): string {
  const date = dateOf(day);
  date.setUTCDate(date.getUTCDate() + amount);
  return within(dayText(date), `${firstMonth}-01`, `${lastMonth}-31`);
}

/** Returns the same day that many months later, or the month's last day if it is shorter. */
export function addMonthsToDay(day: string, amount: number): string {
  const month = addMonths(monthOf(day), amount);
  const lastDay = addDays(`${addMonths(month, 1)}-01`, month === lastMonth ? 30 : -1);
  return within(`${month}${day.slice(7)}`, `${month}-01`, lastDay);
}

/** Days since the Monday of the week. */
const fromMonday = (day: string): number => (dateOf(day).getUTCDay() + 6) % 7;

export const startOfWeek = (day: string): string => addDays(day, -fromMonday(day));
export const endOfWeek = (day: string): string => addDays(day, 6 - fromMonday(day));

/** The weeks of a month from Monday to Sunday; null for days of other months. */
export function weeksOf(month: string): (string | null)[][] {
  const first = dateOf(month);
  const days = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const blank = fromMonday(`${month}-01`);
  const cells = Array.from({ length: Math.ceil((blank + days) / 7) * 7 }, (_, place) => {
    const number = place - blank + 1;
    return number < 1 || number > days ? null : `${month}-${String(number).padStart(2, '0')}`;
  });
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}
