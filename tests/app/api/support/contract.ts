import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is read here as what it is, JSON.
export type Json = any;

export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  status: number;
  contentType: string | null;
  text: string;
}

const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** The document without a resource's required fields, for answers to a request for only some fields. */
function sparse(document: Json): Json {
  const copy = structuredClone(document);
  for (const { properties } of Object.values<Json>(copy.components.schemas))
    if (properties.attributes) delete properties.attributes.required;
  return copy;
}

/** An OpenAPI document as callers read it, with a validator for all its schemas. */
export class Contract {
  readonly document: Json;
  readonly ajv = new Ajv2020({ strict: false, allErrors: true });

  constructor(document: Json) {
    this.document = document;
    formats.default(this.ajv);
    this.ajv.addSchema({ ...document, $id: 'api' });
    this.ajv.addSchema({ ...sparse(document), $id: 'sparse' });
  }

  /** The documented path that matches a URL. */
  pathOf(path: string): string | undefined {
    const paths = Object.keys(this.document.paths);
    const exact = paths.find((each) => each === path);
    return exact ?? paths.find((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
  }

  #check(pointer: string, value: unknown, id: 'api' | 'sparse' = 'api'): void {
    const validate = this.ajv.getSchema(`${id}#${pointer}`) ?? this.ajv.compile({ $ref: `${id}#${pointer}` });
    if (!validate(value))
      throw new Error(`${pointer}: ${this.ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }

  /**
   * Checks an answer against the document: status, content type and body. Unless fields were selected, every resource has
   * all attributes.
   */
  hold(seen: Seen): void {
    const path = this.pathOf(seen.path);
    const method = (seen.method === 'HEAD' ? 'GET' : seen.method).toLowerCase();
    const operation = path && this.document.paths[path][method];
    if (!operation) {
      if (![404, 405].includes(seen.status)) throw new Error(`${seen.method} ${seen.path} is not described`);
      this.#check('/components/schemas/Errors', JSON.parse(seen.text));
      return;
    }
    const answer = operation.responses[seen.status];
    if (!answer)
      throw new Error(`${seen.method} ${path} answers ${seen.status}, which is not described: ${seen.text}`);
    const [type = ''] = Object.keys(answer.content);
    if (seen.contentType?.split(';')[0] !== type)
      throw new Error(`${seen.method} ${path} answers ${seen.contentType}, not ${type}`);
    if (type === 'text/event-stream') return;
    const isSparse = [...seen.query.keys()].some((name) => name.startsWith('fields['));
    const pointer = `/paths/${escaped(path)}/${method}/responses/${seen.status}/content/${escaped(type)}/schema`;
    this.#check(pointer, JSON.parse(seen.text), isSparse ? 'sparse' : 'api');
  }
}
