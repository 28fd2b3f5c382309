import type { DatePreset } from '#app/components/dates/date-range.tsx';
import { domainNow } from '#app/services/clock.server.ts';
import { timeZoneOf } from '#app/services/preferences.server.ts';
import { boundedCache } from '#platform/bounded-cache.ts';

const stepMs = 5 * 60 * 1000;
const dayMs = 24 * 60 * 60 * 1000;

const clocks = boundedCache<string, Intl.DateTimeFormat>('clocksOfZones', 100);

/** Creating a formatter costs far more than using it. */
function clockOfZone(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(timeZone, clock);
  return clock;
}

const quarterMs = 15 * 60 * 1000;
/** Since then, every zone has changed its clock at a quarter of an hour. */
const quartersSinceMs = Date.UTC(1973, 0);
const offsets = boundedCache<string, number>('zoneOffsets', 1000);

/** Returns by how much a zone's clock is ahead of UTC at a time. */
function offsetAt(ms: number, timeZone: string): number {
  if (ms < quartersSinceMs) return computedOffsetAt(ms, timeZone);
  const key = `${Math.floor(ms / quarterMs)} ${timeZone}`;
  const offset = offsets.get(key) ?? computedOffsetAt(ms, timeZone);
  offsets.set(key, offset);
  return offset;
}

function computedOffsetAt(ms: number, timeZone: string): number {
  const parts = clockOfZone(timeZone).formatToParts(ms);
  const part = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(ms / 1000) * 1000;
}

/** Returns the time at which a zone's clock shows what UTC's clock shows at `clockMs`. */
const momentOf = (clockMs: number, timeZone: string): number =>
  clockMs - offsetAt(clockMs - offsetAt(clockMs, timeZone), timeZone);

/** The starts of the days from that of `fromMs` on, in the zone. */
export function startsOfDays(fromMs: number, count: number, timeZone: string): number[] {
  const clockMs = fromMs + offsetAt(fromMs, timeZone);
  const firstMs = clockMs - (clockMs % dayMs);
  const [aheadMs, laterMs] = [clockMs - fromMs, offsetAt(firstMs + count * dayMs, timeZone)];
  return Array.from({ length: count }, (_, place) => {
    const dayAtMs = firstMs + place * dayMs;
    // The zone's offset is only needed for each day if its clock changes in between.
    return aheadMs === laterMs ? dayAtMs - aheadMs : momentOf(dayAtMs, timeZone);
  });
}

/** A zone's clock in the format of a form field: 2026-11-30T16:20. */
const clockText = (clockMs: number): string => new Date(clockMs).toISOString().slice(0, 16);

/** The day of a time in a zone, in the format of a form field: 2026-11-30. */
export const dayTextOf = (ms: number, timeZone: string): string =>
  clockText(ms + offsetAt(ms, timeZone)).slice(0, 10);

/** Parses a day, or a minute in steps of five, between 1900 and 2100; null for anything else. */
function clockOf(text: string | null, timeOfDay: string): number | null {
  if (!text || !/^(19\d\d|20\d\d|2100)-\d\d-\d\d(T\d\d:\d\d)?$/.test(text)) return null;
  const clockMs = Date.parse(`${text.length === 10 ? `${text}T${timeOfDay}` : text}Z`);
  return Number.isNaN(clockMs) ? null : Math.floor(clockMs / stepMs) * stepMs;
}

/** The range in an address, in the zone's time; the last five minutes are included. */
export function dateRangeIn(query: URLSearchParams, timeZone: string) {
  const from = clockOf(query.get('from'), '00:00');
  const to = clockOf(query.get('to'), '23:55');
  return {
    fromMs: from === null ? undefined : momentOf(from, timeZone),
    untilMs: to === null ? undefined : momentOf(to + stepMs, timeZone),
    shown: { from: from === null ? '' : clockText(from), to: to === null ? '' : clockText(to) },
  };
}

/** The preset ranges in the visitor's time zone. */
export async function datePresets(request: Request): Promise<DatePreset[]> {
  const nowMs = await domainNow();
  const clock = new Date(nowMs + offsetAt(nowMs, timeZoneOf(request)));
  const [year, month] = [clock.getUTCFullYear(), clock.getUTCMonth()];
  const today = Date.UTC(year, month, clock.getUTCDate());
  const range = (name: DatePreset['name'], firstMs: number, lastMs: number): DatePreset => ({
    name,
    from: clockText(firstMs),
    to: clockText(lastMs + dayMs - stepMs),
  });
  return [
    range('today', today, today),
    range('last7Days', today - 6 * dayMs, today),
    range('last30Days', today - 29 * dayMs, today),
    range('thisMonth', Date.UTC(year, month, 1), today),
    range('lastMonth', Date.UTC(year, month - 1, 1), Date.UTC(year, month, 0)),
  ];
}
