import { dateRangeIn } from '#app/services/forms/date-range.server.ts';
import { timeZoneOf } from '#app/services/preferences.server.ts';
import { isId } from '#domain/kernel/id.ts';
import { type PromiseStatus, promiseStatuses } from '#domain/reward/promise-status.ts';
import type { GivenFilters } from '#domain/view/list-given-rewards.ts';

/** A final reward also counts as delivered. */
const statusesOf = (status: PromiseStatus): readonly PromiseStatus[] =>
  status === 'delivered' ? ['delivered', 'final'] : [status];

/** The filters of given rewards in an address; invalid ones are ignored. */
export function readGivenFilters(request: Request) {
  const query = new URL(request.url).searchParams;
  const search = (query.get('q') ?? '').trim().slice(0, 100);
  const rule = query.get('rule') ?? '';
  const ruleId = isId(rule) ? rule : undefined;
  const status = promiseStatuses.find((each) => each === query.get('status'));
  const { shown, ...dates } = dateRangeIn(query, timeZoneOf(request));
  const filters: GivenFilters = { search, ruleId, statuses: status && statusesOf(status), ...dates };
  return { filters, shown: { q: search, rule: ruleId ?? '', status: status ?? '', ...shown } };
}
