import { type HistoryFilters, historyStatuses } from '#domain/reward/list-history.ts';
import { boundsOfDay } from './local-days.server.ts';
import { timeZoneOf } from './preferences.server.ts';

/** What an address asks of the reward history; what it asks wrongly is left out. */
export function readHistoryFilters(request: Request) {
  const query = new URL(request.url).searchParams;
  const timeZone = timeZoneOf(request);
  const status = historyStatuses.find((each) => each === query.get('status'));
  const channel = (query.get('channel') ?? '').trim().slice(0, 100);
  const [from, to] = [query.get('from'), query.get('to')];
  const [first, last] = [boundsOfDay(from, timeZone), boundsOfDay(to, timeZone)];
  const filters: HistoryFilters = { status, channel, fromMs: first?.startMs, untilMs: last?.endMs };
  const shown = {
    status: status ?? '',
    channel,
    from: first ? (from ?? '') : '',
    to: last ? (to ?? '') : '',
  };
  return { filters, shown };
}
