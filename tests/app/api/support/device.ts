import type { Device } from '../client/stage.ts';
import type { Contract } from './contract.ts';

/** A browser or a phone, speaking HTTP with a web process. Every answer of the API is held to its document. */
export class HttpDevice implements Device {
  readonly #cookies = new Map<string, string>();
  readonly #origin: string;
  readonly #contract: Contract;
  token: string | null = null;

  constructor(origin: string, contract: Contract) {
    this.#origin = origin;
    this.#contract = contract;
  }

  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'GET' && this.token === null) {
      await this.#call(new Request(`${this.#origin}/sanctum/csrf-cookie`));
      request.headers.set('X-XSRF-TOKEN', this.#cookies.get('XSRF-TOKEN') ?? '');
    }
    if (this.token !== null) request.headers.set('Authorization', `Bearer ${this.token}`);
    return this.#call(request);
  }

  /** Opens a page or submits a form, and follows redirects on this site. */
  async open(path: string, form?: Record<string, string>): Promise<{ path: string; html: string }> {
    const response = await this.#send(
      new Request(new URL(path, this.#origin), {
        method: form ? 'POST' : 'GET',
        headers: { Origin: this.#origin },
        ...(form && { body: new URLSearchParams(form) }),
      }),
    );
    const to = response.headers.get('Location');
    if (to === null) return { path, html: await response.text() };
    return new URL(to, this.#origin).origin === this.#origin ? this.open(to) : { path: to, html: '' };
  }

  async #call(request: Request): Promise<Response> {
    const response = await this.#send(request);
    const { pathname, searchParams } = new URL(request.url);
    this.#contract.hold({
      method: request.method,
      path: pathname,
      query: searchParams,
      status: response.status,
      contentType: response.headers.get('Content-Type'),
      text: await response.clone().text(),
    });
    return response;
  }

  async #send(request: Request): Promise<Response> {
    if (this.#cookies.size > 0)
      request.headers.set('Cookie', [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(request, { redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
