import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describeApi } from '#app/api/table.server.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is read here as what it is, JSON.
type Json = any;

export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  status: number;
  contentType: string | null;
  text: string;
}

let made: { document: Json; ajv: Ajv2020 } | null = null;

/** The document as callers read it, with a validator for all its schemas. */
export function contract() {
  if (made) return made;
  const document: Json = JSON.parse(JSON.stringify(describeApi()));
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id: 'api' });
  ajv.addSchema({ ...sparse(document), $id: 'sparse' });
  made = { document, ajv };
  return made;
}

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** The documented path that matches a URL. */
export function describedPath(path: string): string | undefined {
  const paths = Object.keys(contract().document.paths);
  const exact = paths.find((each) => each === path);
  return exact ?? paths.find((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
}

/** The document without what a resource must have: for answers of which only some fields were asked. */
function sparse(document: Json): Json {
  const copy = structuredClone(document);
  for (const { properties } of Object.values<Json>(copy.components.schemas))
    if (properties.attributes) delete properties.attributes.required;
  return copy;
}

function check(pointer: string, value: unknown, id: 'api' | 'sparse' = 'api'): void {
  const { ajv } = contract();
  const validate = ajv.getSchema(`${id}#${pointer}`) ?? ajv.compile({ $ref: `${id}#${pointer}` });
  if (!validate(value))
    throw new Error(`${pointer}: ${contract().ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
}

/**
 * Checks an answer against the OpenAPI document: status, content type and body. Unless fields were selected, every
 * resource has all attributes.
 */
export function holdToContract(seen: Seen): void {
  const path = describedPath(seen.path);
  const method = (seen.method === 'HEAD' ? 'GET' : seen.method).toLowerCase();
  const operation = path && contract().document.paths[path][method];
  const pointer = operation
    ? `/paths/${escaped(path)}/${method}/responses/${seen.status}`
    : '/components/schemas/Errors';
  if (!operation) {
    if (![404, 405].includes(seen.status)) throw new Error(`${seen.method} ${seen.path} is not described`);
    check(pointer, JSON.parse(seen.text));
    return;
  }
  const answer = operation.responses[seen.status];
  if (!answer)
    throw new Error(`${seen.method} ${path} answers ${seen.status}, which is not described: ${seen.text}`);
  const [type] = Object.keys(answer.content);
  if (seen.contentType?.split(';')[0] !== type)
    throw new Error(`${seen.method} ${path} answers ${seen.contentType}, not ${type}`);
  if (type === 'text/event-stream') return;
  const body = JSON.parse(seen.text);
  const isSparse = [...seen.query.keys()].some((name) => name.startsWith('fields['));
  check(`${pointer}/content/${escaped(type ?? '')}/schema`, body, isSparse ? 'sparse' : 'api');
}
