type Recurring = { interval: string; interval_count: number };

export const daySeconds = 86_400;

/** The anchor moved by whole months; a day that the month lacks becomes its last, as Stripe's billing cycles do. */
function monthsAfter(anchor: number, months: number): number {
  const start = new Date(anchor * 1000);
  const first = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, 1);
  const days = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months + 1, 0)).getUTCDate();
  const timeOfDay = anchor % daySeconds;
  return first / 1000 + (Math.min(start.getUTCDate(), days) - 1) * daySeconds + timeOfDay;
}

function boundary(anchor: number, { interval, interval_count: count }: Recurring, index: number): number {
  if (interval === 'day') return anchor + index * count * daySeconds;
  if (interval === 'week') return anchor + index * count * 7 * daySeconds;
  return monthsAfter(anchor, index * count * (interval === 'year' ? 12 : 1));
}

/** The end of the billing period that contains `start`, https://docs.stripe.com/billing/subscriptions/billing-cycle. */
export function periodEnd(anchor: number, recurring: Recurring, start: number): number {
  let index = 1;
  while (boundary(anchor, recurring, index) <= start) index += 1;
  return boundary(anchor, recurring, index);
}
