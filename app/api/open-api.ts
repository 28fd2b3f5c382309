import { z } from 'zod';
import { apiCalls } from '#app/locales/en/api-calls.ts';
import { apiResources } from '#app/locales/en/api-resources.ts';
import { confirmationMeta } from './confirmation.ts';
import type { Endpoint } from './endpoint.ts';
import { commonFaults } from './failure.ts';
import { jsonApiType } from './negotiate.ts';
import { kindsOf, MAX_PAGE_SIZE } from './query.ts';
import type { ResourceKind } from './resource.ts';

type Schema = Record<string, unknown>;

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
/** The name of a schema in the document: `reward-progress` becomes `RewardProgress`. */
const nameOf = (type: string): string =>
  type.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}

const exactly = (properties: Record<string, Schema>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

const named = (type: string): Schema => ({ type: 'string', const: type });
const identifier = (type: string): Schema => exactly({ type: named(type), id: { type: 'string' } });

function relationshipsOf({ relationships }: ResourceKind): Schema | null {
  const links = Object.entries(relationships).map(([name, { type, many }]): [string, Schema] => {
    const one = identifier(type);
    const linkage = many ? { type: 'array', items: one } : { anyOf: [one, { type: 'null' }] };
    return [name, exactly({ data: linkage })];
  });
  if (links.length === 0) return null;
  return exactly(
    Object.fromEntries(links),
    links.map(([name]) => name),
  );
}

/** A resource with all of its fields. */
function resourceSchema(kind: ResourceKind): Schema {
  const { type } = kind;
  const relationships = relationshipsOf(kind);
  const attributes = schemaOf(kind.attributes, 'output');
  const shape = { type: named(type), id: { type: 'string' }, attributes };
  const whole = exactly({ ...shape, ...(relationships && { relationships }) }, ['relationships']);
  return { ...whole, description: apiResources[type] };
}

const components = (kinds: readonly ResourceKind[]) => ({
  ...Object.fromEntries(kinds.map((kind) => [nameOf(kind.type), resourceSchema(kind)])),
  JsonApi: exactly({ version: { const: '1.1' } }),
  Errors: exactly({
    jsonapi: ref('JsonApi'),
    errors: {
      type: 'array',
      minItems: 1,
      items: exactly(
        {
          status: { type: 'string', pattern: '^[45]\\d\\d$' },
          code: { type: 'string' },
          title: { type: 'string' },
          detail: { type: 'string' },
          source: {
            type: 'object',
            properties: {
              pointer: { type: 'string' },
              parameter: { type: 'string' },
              header: { type: 'string' },
            },
            additionalProperties: false,
            minProperties: 1,
            maxProperties: 1,
          },
          meta: {
            ...schemaOf(confirmationMeta, 'output'),
            description: 'Of identityUnconfirmed alone: how this caller confirms who they are.',
          },
        },
        ['source', 'meta'],
      ),
    },
  }),
});

/** A resource of one of these types, which its `type` tells apart. */
function oneOf(types: readonly string[]): Schema {
  const [first, ...others] = types.map((type) => ref(nameOf(type)));
  if (first && others.length === 0) return first;
  const mapping = Object.fromEntries(types.map((type) => [type, `#/components/schemas/${nameOf(type)}`]));
  return { oneOf: [first, ...others], discriminator: { propertyName: 'type', mapping } };
}

function answerSchema(row: Endpoint, kinds: readonly ResourceKind[]): Schema {
  const { data, of, meta, says } = row.answers;
  const primary = of.length > 0 ? oneOf(of.map(({ type }) => type)) : { type: 'null' };
  const others = kindsOf(row, kinds).filter((kind) => !of.includes(kind));
  const metaSchema = schemaOf(
    (meta ?? z.strictObject({})).extend(says ? { message: z.string() } : {}),
    'output',
  );
  return exactly(
    {
      jsonapi: ref('JsonApi'),
      data: data === 'many' ? { type: 'array', items: primary } : primary,
      ...(others.length > 0 && {
        included: { type: 'array', items: oneOf(others.map(({ type }) => type)) },
      }),
      ...(row.cursor && { links: exactly({ next: { type: ['string', 'null'] } }) }),
      ...((meta || says) && { meta: metaSchema }),
    },
    ['included'],
  );
}

function answerContent(row: Endpoint, kinds: readonly ResourceKind[]): Schema {
  if (row.answers.data === 'events') return { 'text/event-stream': { schema: { type: 'string' } } };
  if (row.answers.data === 'openApi') return { 'application/json': { schema: { type: 'object' } } };
  return { [jsonApiType]: { schema: answerSchema(row, kinds) } };
}

/** The statuses that any call of this kind can be refused with, and the codes for each. */
function refusalsOf(row: Endpoint): Map<number, string[]> {
  const changes = row.method !== 'GET';
  const may: (keyof typeof commonFaults)[] = ['badParameter', 'unknownParameter', 'badToken'];
  may.push('notAcceptable', 'tooManyRequests', 'unexpected', 'timedOut', 'unavailable');
  if (row.access !== 'anyone') may.push('unauthorized', 'sessionReplaced');
  if (row.access === 'verified') may.push('unverified');
  if (changes) may.push('csrfMismatch', 'badJson', 'bodyTooLarge', 'unsupportedMediaType', 'unknownField');
  if (row.body) may.push('badDocument', 'wrongType', row.body.names ? 'wrongId' : 'clientId');
  if (row.path.includes('{')) may.push('notFound');
  const found = new Map<number, string[]>();
  const add = (status: number, code: string) => {
    const codes = found.get(status) ?? [];
    if (!codes.includes(code)) found.set(status, [...codes, code]);
  };
  for (const code of may) add(commonFaults[code].status, code);
  for (const [code, { status }] of Object.entries(row.refuses)) add(status === 400 ? 422 : status, code);
  return new Map([...found].sort(([one], [other]) => one - other));
}

function responsesOf(row: Endpoint, kinds: readonly ResourceKind[]): Schema {
  const refused = [...refusalsOf(row)].map(([status, codes]) => [
    String(status),
    { description: codes.join(', '), content: { [jsonApiType]: { schema: ref('Errors') } } },
  ]);
  const answered = { description: apiCalls[row.name], content: answerContent(row, kinds) };
  return { [String(row.answers.status)]: answered, ...Object.fromEntries(refused) };
}

const inQuery = (name: string, schema: Schema, required = false): Schema => ({
  name,
  in: 'query',
  required,
  schema,
});

/** The parameters of a call: path, query and headers. */
export function parametersOf(row: Endpoint, kinds: readonly ResourceKind[]): Schema[] {
  const hasFields = row.answers.data === 'one' || row.answers.data === 'many';
  const includes = Object.keys(row.includes);
  return [
    ...Object.entries(row.params.shape).map(([name, schema]) => ({
      name,
      in: 'path',
      required: true,
      schema: schemaOf(schema as z.ZodType, 'input'),
    })),
    ...Object.entries(row.filter.shape).map(([name, schema]) =>
      inQuery(`filter[${name}]`, schemaOf(schema as z.ZodType, 'input')),
    ),
    ...(row.cursor
      ? [
          inQuery('page[after]', { type: 'string' }),
          inQuery('page[size]', { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE }),
        ]
      : []),
    ...(includes.length > 0 ? [inQuery('include', { type: 'string', examples: [includes.join(',')] })] : []),
    ...(hasFields
      ? kindsOf(row, kinds).map(({ type }) => ({
          ...inQuery(`fields[${type}]`, { type: 'string' }),
          description: 'Leaves only these fields, separated by commas: the others are missing in the answer.',
        }))
      : []),
    ...(row.repeatable
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            schema: { type: 'string', format: 'uuid' },
          },
        ]
      : []),
  ];
}

function bodyOf({ body }: Endpoint): Schema | null {
  if (!body) return null;
  const attributes = schemaOf(body.attributes, 'input');
  const type = named(body.type);
  const data = body.names
    ? exactly({ type, id: { type: 'string' }, attributes }, ['id'])
    : exactly({ type, attributes });
  const document = exactly({ data });
  return {
    required: true,
    content: { 'application/json': { schema: attributes }, [jsonApiType]: { schema: document } },
  };
}

function operationOf(row: Endpoint, area: string, kinds: readonly ResourceKind[]): Schema {
  const requestBody = bodyOf(row);
  const anonymous = row.access === 'anyone' ? [{}] : [];
  return {
    operationId: row.name,
    summary: apiCalls[row.name],
    tags: [area],
    parameters: parametersOf(row, kinds),
    ...(requestBody && { requestBody }),
    responses: responsesOf(row, kinds),
    security: [
      ...anonymous,
      row.method === 'GET' ? { session: [] } : { session: [], xsrf: [] },
      { token: [] },
    ],
  };
}

/** The OpenAPI 3.1 document of a table, made from the schemas that its calls are checked with. */
export function openApiDocument(
  areas: Record<string, readonly Endpoint[]>,
  kinds: readonly ResourceKind[],
  site: { url: string; sessionCookie: string },
) {
  const paths: Record<string, Schema> = {};
  for (const [area, rows] of Object.entries(areas))
    for (const row of rows)
      paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: operationOf(row, area, kinds) };
  return {
    openapi: '3.1.0',
    info: { title: 'Keepsake', version: '1', description: 'Rewards for viewers, as JSON:API 1.1.' },
    servers: [{ url: site.url }],
    tags: Object.keys(areas).map((name) => ({ name })),
    paths,
    components: {
      schemas: components(kinds),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: site.sessionCookie },
        xsrf: { type: 'apiKey', in: 'header', name: 'X-XSRF-TOKEN' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}
