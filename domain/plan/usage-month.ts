/** The month that a limit counts in. */
export interface UsageMonth {
  startsAtMs: number;
  resetsAtMs: number;
}

/** The anchor of users without a subscription: the first of the month at midnight UTC. */
const CALENDAR_ANCHOR_MS = 0;

/**
 * Returns the moment some months after the anchor: the same day and time, or the month's last day if it is
 * shorter. UTC.
 */
function monthsAfter(anchorMs: number, months: number): number {
  const anchor = new Date(anchorMs);
  const [year, month] = [anchor.getUTCFullYear(), anchor.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const timeOfDayMs = anchorMs - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate());
  return Date.UTC(year, month, Math.min(anchor.getUTCDate(), lastDay)) + timeOfDayMs;
}

/** Returns the month around a moment that begins on the anchor's day. Yearly plans have the same months. */
export function usageMonth(nowMs: number, anchorMs: number | null = null): UsageMonth {
  const anchor = new Date(anchorMs ?? CALENDAR_ANCHOR_MS);
  const now = new Date(nowMs);
  const months =
    (now.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + now.getUTCMonth() - anchor.getUTCMonth();
  const from = monthsAfter(anchor.getTime(), months) > nowMs ? months - 1 : months;
  return {
    startsAtMs: monthsAfter(anchor.getTime(), from),
    resetsAtMs: monthsAfter(anchor.getTime(), from + 1),
  };
}
