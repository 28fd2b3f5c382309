import { decodeCursor, PAGE_SIZE } from '#domain/kernel/page.ts';
import type { Endpoint } from './endpoint.ts';
import { ApiFailure, commonFaults, failWith } from './failure.ts';
import { faultsOf } from './faults-of.ts';
import type { ResourceKind } from './resource.ts';

export const MAX_PAGE_SIZE = 100;

/** The parsed query of a call. */
export interface Asked {
  filter: Record<string, unknown>;
  page: { after: string | null; size: number };
  include: ReadonlySet<string>;
  /** The only requested fields, by type. */
  fields: ReadonlyMap<string, ReadonlySet<string>>;
}

type Parameters = Map<string, string>;

const isData = ({ answers }: Endpoint) => answers.data === 'one' || answers.data === 'many';

/** The query's parameters, each once, not yet validated. */
function parametersOf(url: URL): Parameters {
  const parameters: Parameters = new Map();
  for (const [name, value] of url.searchParams) {
    if (parameters.has(name)) throw failWith('badParameter', { parameter: name });
    parameters.set(name, value);
  }
  return parameters;
}

function take(parameters: Parameters, name: string): string | null {
  const value = parameters.get(name) ?? null;
  parameters.delete(name);
  return value;
}

/** Extracts the parameters of one family: `filter[state]` is `state` of the family `filter`. */
function takeFamily(parameters: Parameters, family: string): Record<string, string> {
  const members: [string, string][] = [];
  for (const [name, value] of [...parameters]) {
    const [, member] = name.match(new RegExp(`^${family}\\[([\\w-]+)\\]$`)) ?? [];
    if (member === undefined) continue;
    members.push([member, value]);
    parameters.delete(name);
  }
  return Object.fromEntries(members);
}

function readPage(row: Endpoint, parameters: Parameters): Asked['page'] {
  if (!row.cursor) return { after: null, size: PAGE_SIZE };
  const [after, size] = [take(parameters, 'page[after]'), take(parameters, 'page[size]')];
  if (after !== null && !decodeCursor(after, row.cursor))
    throw failWith('badParameter', { parameter: 'page[after]' });
  if (size === null) return { after, size: PAGE_SIZE };
  if (!/^[1-9]\d{0,2}$/.test(size) || Number(size) > MAX_PAGE_SIZE)
    throw new ApiFailure({
      ...commonFaults.badParameter,
      key: 'errors.field.range',
      values: { min: 1, max: MAX_PAGE_SIZE },
      source: { parameter: 'page[size]' },
    });
  return { after, size: Number(size) };
}

function readInclude(row: Endpoint, parameters: Parameters): Asked['include'] {
  const names = Object.keys(row.includes);
  const asked = names.length > 0 ? take(parameters, 'include') : null;
  if (asked === null) return new Set(names.filter((name) => row.includes[name]));
  const wanted = asked.split(',').filter(Boolean);
  if (wanted.some((name) => !names.includes(name))) throw failWith('badParameter', { parameter: 'include' });
  return new Set(wanted);
}

/** The types that a response can contain: its own, and those that it may include. */
export const kindsOf = (row: Endpoint, all: readonly ResourceKind[]): ResourceKind[] => {
  const pointed = row.answers.of.flatMap(({ relationships }) =>
    Object.keys(row.includes).flatMap((name) => relationships[name]?.type ?? []),
  );
  const types = new Set([...row.answers.of.map(({ type }) => type), ...pointed]);
  return all.filter(({ type }) => types.has(type));
};

function readFields(row: Endpoint, parameters: Parameters, all: readonly ResourceKind[]): Asked['fields'] {
  const fields = new Map<string, ReadonlySet<string>>();
  if (!isData(row)) return fields;
  for (const [type, list] of Object.entries(takeFamily(parameters, 'fields'))) {
    const kind = kindsOf(row, all).find((each) => each.type === type);
    const known = kind && [...Object.keys(kind.attributes.shape), ...Object.keys(kind.relationships)];
    const wanted = list.split(',').filter(Boolean);
    if (!known || wanted.some((name) => !known.includes(name)))
      throw failWith('badParameter', { parameter: `fields[${type}]` });
    fields.set(type, new Set(wanted));
  }
  return fields;
}

/** Parses the query and refuses parameters that the endpoint does not know, so that a misspelt filter is noticed. */
export function readQuery(row: Endpoint, url: URL, all: readonly ResourceKind[]): Asked {
  const parameters = parametersOf(url);
  const page = readPage(row, parameters);
  const include = readInclude(row, parameters);
  const fields = readFields(row, parameters, all);
  const given = takeFamily(parameters, 'filter');
  const filter = row.filter.safeParse(given);
  if (!filter.success)
    throw new ApiFailure(
      faultsOf(filter.error, given, {
        status: 400,
        unknown: 'unknownParameter',
        sourceOf: ([name]) => ({ parameter: `filter[${String(name)}]` }),
      }),
    );
  const [unknown] = parameters.keys();
  if (unknown !== undefined) throw failWith('unknownParameter', { parameter: unknown });
  return { page, include, fields, filter: filter.data };
}
