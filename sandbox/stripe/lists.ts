import { invalidRequest } from './refusals.ts';

export interface Paging {
  limit?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
}

export interface List<Item> {
  object: 'list';
  data: Item[];
  has_more: boolean;
  url: string;
}

type Range =
  | number
  | { gt?: number | undefined; gte?: number | undefined; lt?: number | undefined; lte?: number | undefined };

export function isWithin(created: number, range: Range | undefined): boolean {
  if (range === undefined) return true;
  if (typeof range === 'number') return created === range;
  const { gt, gte, lt, lte } = range;
  return (
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte)
  );
}

export function listOfAll<Item>(data: Item[], url: string): List<Item> {
  return { object: 'list', data, has_more: false, url };
}

/** One page of a list by cursors, 10 at a time unless asked otherwise, https://docs.stripe.com/api/pagination. */
export function pageOf<Item extends { id: string }>(items: Item[], paging: Paging, url: string): List<Item> {
  const { limit = 10, starting_after: after, ending_before: before } = paging;
  if (limit < 1 || limit > 100) {
    throw invalidRequest(
      limit < 1
        ? `This value must be greater than or equal to 1.`
        : `This value must be less than or equal to 100 (it currently is '${limit}').`,
      { param: 'limit' },
    );
  }
  const placeOf = (id: string, param: string) => {
    const place = items.findIndex((item) => item.id === id);
    if (place < 0) throw invalidRequest(`No such object: '${id}'`, { code: 'resource_missing', param });
    return place;
  };
  if (before !== undefined) {
    const end = placeOf(before, 'ending_before');
    const start = Math.max(0, end - limit);
    return { object: 'list', data: items.slice(start, end), has_more: start > 0, url };
  }
  const start = after === undefined ? 0 : placeOf(after, 'starting_after') + 1;
  return {
    object: 'list',
    data: items.slice(start, start + limit),
    has_more: items.length > start + limit,
    url,
  };
}
