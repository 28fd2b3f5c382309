import type { FastifyReply, FastifyRequest } from 'fastify';

const reasons: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** The body of a refused Helix request; OAuth leaves out `error`. */
export function refusalBody(status: number, message: string) {
  return { error: reasons[status] ?? 'Error', status, message };
}

/** Ends a request with a refusal; the server formats it like the platform. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Query parameters that may be repeated, such as `id=1&id=2`. */
export class QueryValues {
  readonly #query: Record<string, string | string[] | undefined>;

  constructor(request: FastifyRequest) {
    this.#query = request.query as Record<string, string | string[] | undefined>;
  }

  all(name: string): string[] {
    const value = this.#query[name];
    return value === undefined ? [] : Array.isArray(value) ? value : [value];
  }

  get(name: string): string | undefined {
    return this.all(name)[0];
  }

  require(name: string): string {
    const value = this.get(name);
    if (!value) throw new Refusal(400, `Missing required parameter "${name}"`);
    return value;
  }
}

export type Fields = Record<string, string | undefined>;

/** The fields of a form post, which Twitch also accepts in the query. */
export function formFields(request: FastifyRequest): Fields {
  const body = typeof request.body === 'object' && request.body !== null ? request.body : {};
  return { ...(request.query as Fields), ...(body as Fields) };
}

/** One page of a list. The cursor is opaque to clients; here it is an offset. */
export function page<T>(
  items: readonly T[],
  query: QueryValues,
  sizes: { default: number; max: number },
): { data: T[]; pagination: { cursor?: string } } {
  const asked = query.get('first');
  const size = asked === undefined ? sizes.default : Number(asked);
  if (!Number.isInteger(size) || size < 1)
    throw new Refusal(400, 'The parameter "first" was malformed: the value must be greater than 0');
  if (size > sizes.max)
    throw new Refusal(
      400,
      `The parameter "first" was malformed: the value must be less than or equal to ${sizes.max}`,
    );
  const cursor = query.get('after');
  const start = cursor ? Number(Buffer.from(cursor, 'base64url').toString()) : 0;
  if (!Number.isInteger(start) || start < 0) throw new Refusal(400, 'The cursor is not valid.');
  const end = start + size;
  const pagination = end < items.length ? { cursor: Buffer.from(String(end)).toString('base64url') } : {};
  return { data: items.slice(start, end), pagination };
}

/** Times in Helix: whole seconds in UTC. */
export function isoSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Sends a page for people. It loads nothing and runs no script. */
export function sendPage(reply: FastifyReply, status: number, html: string): FastifyReply {
  return reply
    .code(status)
    .header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    )
    .header('Cache-Control', 'no-store')
    .header('Referrer-Policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(html);
}
