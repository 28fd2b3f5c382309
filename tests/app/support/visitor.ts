import { type MiddlewareFunction, RouterContextProvider } from 'react-router';
import type { Toast } from '#app/components/feedback/toasts.tsx';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { session } from '#app/middleware/session.server.ts';
import { takeToast } from '#app/services/toast.server.ts';

type Handler = (args: never) => unknown;
type Guard = MiddlewareFunction<Response>;

export interface Answer {
  status: number;
  /** The redirect's target. */
  location: string | null;
  /** The data that a loader or action returns. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its route answers.
  body: any;
  /** The message for the next page. */
  toast: string | null;
  /** The message with all its fields. */
  message: Toast | null;
  setCookies: string[];
  headers: Headers;
  /** The body of an answer that is not a page. */
  text: string;
}

interface Sent {
  form?: Record<string, string> | URLSearchParams;
  /** Values for the path's `:names`. */
  params?: Record<string, string>;
  guard?: Guard;
  headers?: Record<string, string>;
}

/** A person with a browser: keeps cookies, and calls loaders and actions through the session and guards. */
export class Visitor {
  readonly #cookies = new Map<string, string>();
  readonly address: string;

  /** Each visitor has an own IP address, so that tests do not share rate limits. */
  constructor(address = `10.0.${Math.floor(Math.random() * 255)}.${Math.floor(Math.random() * 255)}`) {
    this.address = address;
  }

  cookieNames(): string[] {
    return [...this.#cookies.keys()];
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  /** The token in the session cookie. */
  sessionToken(): string {
    const value = decodeURIComponent(this.#cookies.get('keepsake_session') ?? '');
    return JSON.parse(Buffer.from(value, 'base64').toString() || '""') as string;
  }

  plant(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async call(
    handler: Handler,
    path: string,
    { form, params = {}, guard, headers = {} }: Sent = {},
  ): Promise<Answer> {
    const url = path.startsWith('http') ? path : `http://localhost:3000${path}`;
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const request = new Request(url, {
      method: form ? 'POST' : 'GET',
      headers: { Cookie: cookie, ...headers },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const context = new RouterContextProvider();
    context.set(clientAddressContext, this.address);
    const args = { request, context, params };
    let body: unknown = null;
    const page = async () => {
      const { response, value } = await run(() => handler(args as never));
      body = value;
      return response;
    };
    const guarded = async () =>
      guard ? ((await run(() => guard(args as never, page as never))).response as Response) : page();
    const response = (await session(args as never, guarded as never)) as Response;
    return this.#receive(response, body);
  }

  async #receive(response: Response, body: unknown): Promise<Answer> {
    const setCookies = response.headers.getSetCookie();
    for (const line of setCookies) {
      const [pair = ''] = line.split(';');
      const [name = '', ...value] = pair.split('=');
      if (/max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value.join('='));
    }
    const waiting = await takeToast(
      new Request('http://localhost:3000/', {
        headers: { Cookie: `keepsake_toast=${this.#cookies.get('keepsake_toast') ?? ''}` },
      }),
    );
    this.#cookies.delete('keepsake_toast');
    return {
      status: response.status,
      location: response.headers.get('Location'),
      body,
      toast: waiting?.toast.title ?? null,
      message: waiting?.toast ?? null,
      setCookies,
      headers: response.headers,
      text: await response.text(),
    };
  }
}

/** Handlers return or throw a response or plain data; both become a response here. */
async function run(work: () => unknown): Promise<{ response: Response; value: unknown }> {
  let value: unknown;
  try {
    value = await work();
  } catch (thrown) {
    if (!(thrown instanceof Response) && !isData(thrown)) throw thrown;
    value = thrown;
  }
  if (value instanceof Response) return { response: value, value: null };
  if (!isData(value)) return { response: new Response(null), value };
  const { init, data } = value as { init: ResponseInit | null; data: unknown };
  return { response: new Response(null, init ?? {}), value: data };
}

/**
 * Returns whether it was made by `data(…, { status })`; if thrown, it is a refusal like a thrown response.
 */
const isData = (thrown: unknown): boolean =>
  (thrown as { type?: unknown } | null)?.type === 'DataWithResponseInit';
