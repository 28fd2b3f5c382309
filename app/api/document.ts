import type { TextKey } from '#app/locales/translation.ts';
import type { Answer } from './endpoint.ts';
import type { Fault } from './failure.ts';
import type { Asked } from './query.ts';
import type { Resource } from './resource.ts';

const jsonapi = { version: '1.1' } as const;
const linkTo = ({ type, id }: Resource) => ({ type, id });

function linkageOf(related: Resource | Resource[] | null) {
  if (Array.isArray(related)) return { data: related.map(linkTo) };
  return { data: related && linkTo(related) };
}

const chosen = (record: Record<string, unknown>, fields: ReadonlySet<string> | undefined) =>
  fields ? Object.fromEntries(Object.entries(record).filter(([name]) => fields.has(name))) : record;

function written({ type, id, attributes, related }: Resource, fields: Asked['fields']) {
  const wanted = fields.get(type);
  const linkages = Object.fromEntries(
    Object.entries(related).map(([name, resources]) => [name, linkageOf(resources)]),
  );
  const relationships = chosen(linkages, wanted);
  const none = Object.keys(relationships).length === 0;
  return { type, id, attributes: chosen(attributes, wanted), ...(!none && { relationships }) };
}

/** The included resources that were requested, each once. */
function includedWith(primary: readonly Resource[], { include, fields }: Asked) {
  const found = new Map<string, Resource>();
  for (const { related } of primary)
    for (const name of include)
      for (const resource of [related[name] ?? []].flat())
        found.set(`${resource.type} ${resource.id}`, resource);
  for (const { type, id } of primary) found.delete(`${type} ${id}`);
  return [...found.values()].map((resource) => written(resource, fields));
}

/** The document that answers a call, with the requested fields and inclusions. */
export function dataDocument(answer: Answer, asked: Asked, url: URL, say: (key: TextKey) => string) {
  const { data, next, says } = answer;
  const primary = [data ?? []].flat();
  const meta = { ...answer.meta, ...(says && { message: say(says) }) };
  return {
    jsonapi,
    data: Array.isArray(data)
      ? data.map((each) => written(each, asked.fields))
      : data && written(data, asked.fields),
    ...(asked.include.size > 0 && { included: includedWith(primary, asked) }),
    ...(next !== undefined && { links: { next: next === null ? null : nextLink(url, next) } }),
    ...(Object.keys(meta).length > 0 && { meta }),
  };
}

function nextLink(url: URL, cursor: string): string {
  const query = new URLSearchParams(url.searchParams);
  query.set('page[after]', cursor);
  return `${url.pathname}?${query}`;
}

/** The status for several faults: their common one, otherwise the general one. */
export function statusOf(faults: readonly Fault[]): number {
  const [first] = faults;
  if (!first) return 500;
  if (faults.every(({ status }) => status === first.status)) return first.status;
  return first.status >= 500 ? 500 : 400;
}

/** A body with a million unknown fields must not be answered with a million faults. */
const MAX_FAULTS = 20;

/** The error document of a refused call, in the reader's language: its first twenty faults. */
export function errorDocument(
  faults: readonly Fault[],
  say: (key: TextKey, values?: Record<string, unknown>) => string,
) {
  return {
    jsonapi,
    errors: faults.slice(0, MAX_FAULTS).map(({ status, code, key, values, source, meta }) => ({
      status: String(status),
      code,
      title: say(titleOf(status)),
      detail: say(key, values),
      ...(source && { source }),
      ...(meta && { meta }),
    })),
  };
}

const titles: Record<number, TextKey> = {
  400: 'api.title.badRequest',
  401: 'api.title.unauthorized',
  403: 'api.title.forbidden',
  404: 'api.title.notFound',
  405: 'api.title.methodNotAllowed',
  406: 'api.title.notAcceptable',
  409: 'api.title.conflict',
  410: 'api.title.gone',
  413: 'api.title.bodyTooLarge',
  415: 'api.title.unsupportedMediaType',
  422: 'api.title.invalid',
  429: 'api.title.tooMany',
  503: 'api.title.unavailable',
};
const titleOf = (status: number): TextKey => titles[status] ?? 'api.title.failed';
