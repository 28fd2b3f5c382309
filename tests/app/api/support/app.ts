import { type MiddlewareFunction, RouterContextProvider } from 'react-router';
import { refuseBody } from '#app/http/body-refusal.server.ts';
import { limitBody } from '#app/http/request-body.ts';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { language } from '#app/middleware/language.server.ts';
import { requestLog } from '#app/middleware/request-log.server.ts';
import { sameOrigin } from '#app/middleware/same-origin.server.ts';
import { securityHeaders } from '#app/middleware/security-headers.server.ts';
import { session } from '#app/middleware/session.server.ts';
import { action, loader } from '#app/routes/api/api.ts';
import { holdToContract } from './own-contract.ts';

// biome-ignore lint/suspicious/noExplicitAny: each test knows what its call answers.
type Json = any;

export interface Reply {
  status: number;
  body: Json;
  headers: Headers;
  /** The error codes of a refusal. */
  codes: string[];
}

export interface Sent {
  json?: unknown;
  document?: unknown;
  /** A raw body, sent as it is. */
  raw?: BodyInit;
  headers?: Record<string, string>;
  /** Neither requests nor sends an XSRF-TOKEN. */
  unproven?: boolean;
}

const chain: MiddlewareFunction<Response>[] = [requestLog, securityHeaders, sameOrigin, language, session];
let addresses = 0;

/** Handles a request like the server: limits its body, runs the root's middleware, calls the route. */
export async function serve(request: Request, address: string): Promise<Response> {
  const bounded = await limitBody(request, { refuse: refuseBody, isMember: async () => false });
  if (bounded instanceof Response) return bounded;
  const context = new RouterContextProvider();
  context.set(clientAddressContext, address);
  const args = { request: bounded, context, params: {} };
  const handler = ['GET', 'HEAD', 'OPTIONS'].includes(request.method) ? loader : action;
  const step = (place: number): Promise<Response> => {
    const middleware = chain[place];
    if (!middleware) return Promise.resolve(handler(args as never)) as Promise<Response>;
    return Promise.resolve(middleware(args as never, (() => step(place + 1)) as never)) as Promise<Response>;
  };
  return step(0);
}

/** A companion app with cookies or a token. Requests an XSRF-TOKEN before each change, as in the specification. */
export class App {
  readonly #cookies = new Map<string, string>();
  readonly address: string;
  token: string | null = null;

  /** Each app has its own IP address, so that tests do not share rate limits. */
  constructor(address = `10.9.${Math.floor(++addresses / 250)}.${addresses % 250}`) {
    this.address = address;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  /** All cookies, formatted for the `Cookie` header. */
  cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The cookie jar, shared with a browser that opens pages. */
  jar(): Map<string, string> {
    return this.#cookies;
  }

  plant(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  get = (path: string, sent: Sent = {}) => this.send('GET', path, sent);
  post = (path: string, sent: Sent = {}) => this.send('POST', path, sent);
  patch = (path: string, sent: Sent = {}) => this.send('PATCH', path, sent);
  delete = (path: string, sent: Sent = {}) => this.send('DELETE', path, sent);

  async send(method: string, path: string, sent: Sent = {}): Promise<Reply> {
    const headers = new Headers();
    if (!['GET', 'HEAD'].includes(method) && this.token === null && !sent.unproven) {
      await this.send('GET', '/sanctum/csrf-cookie');
      headers.set('X-XSRF-TOKEN', this.#cookies.get('XSRF-TOKEN') ?? '');
    }
    const cookies = this.cookies();
    if (cookies) headers.set('Cookie', cookies);
    if (this.token !== null) headers.set('Authorization', `Bearer ${this.token}`);
    if (sent.json !== undefined) headers.set('Content-Type', 'application/json');
    if (sent.document !== undefined) headers.set('Content-Type', 'application/vnd.api+json');
    for (const [name, value] of Object.entries(sent.headers ?? {})) headers.set(name, value);
    const json = sent.json ?? sent.document;
    const body = sent.raw ?? (json === undefined ? null : JSON.stringify(json));
    const request = new Request(`http://localhost:3000${path}`, { method, headers, body });
    return this.#read(request, await serve(request, this.address));
  }

  async #read(request: Request, response: Response): Promise<Reply> {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0/i.test(line)) this.#cookies.delete(pair.slice(0, at));
      else this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const { pathname, searchParams } = new URL(request.url);
    const text = await response.text();
    holdToContract({
      method: request.method,
      path: pathname,
      query: searchParams,
      status: response.status,
      contentType: response.headers.get('Content-Type'),
      text,
    });
    const body = JSON.parse(text) as Json;
    const codes = (body.errors ?? []).map((error: Json) => error.code);
    return { status: response.status, body, headers: response.headers, codes };
  }
}
