const day = 24 * 60 * 60 * 1000;

/** How much a zone's clock is ahead of UTC at a moment. */
function offsetAt(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
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

const startIn = (utcMs: number, timeZone: string): number =>
  utcMs - offsetAt(utcMs - offsetAt(utcMs, timeZone), timeZone);

/** The first moment of a day such as 2026-11-30, and that of the day after it; null for what is no day. */
export function boundsOfDay(
  text: string | null,
  timeZone: string,
): { startMs: number; endMs: number } | null {
  if (!text || !/^(19|20)\d\d-\d\d-\d\d$|^2100-\d\d-\d\d$/.test(text)) return null;
  const utcMs = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(utcMs)) return null;
  return { startMs: startIn(utcMs, timeZone), endMs: startIn(utcMs + day, timeZone) };
}
