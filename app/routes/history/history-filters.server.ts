import { dateRangeIn } from '#app/services/forms/date-range.server.ts';
import { timeZoneOf } from '#app/services/preferences.server.ts';
import { endedStatuses } from '#domain/reward/promise-status.ts';
import type { HistoryFilters } from '#domain/view/list-history.ts';

/** The filters of the reward history in an address; invalid ones are ignored. */
export function readHistoryFilters(request: Request) {
  const query = new URL(request.url).searchParams;
  const status = endedStatuses.find((each) => each === query.get('status'));
  const channel = (query.get('channel') ?? '').trim().slice(0, 100);
  const { shown, ...dates } = dateRangeIn(query, timeZoneOf(request));
  const filters: HistoryFilters = { status, channel, ...dates };
  return { filters, shown: { status: status ?? '', channel, ...shown } };
}
