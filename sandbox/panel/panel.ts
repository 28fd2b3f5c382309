import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { WorldClock } from '#sandbox/clock/world-clock.ts';
import type { Mailbox } from '#sandbox/mail/mailbox.ts';
import type { SteamWorld } from '#sandbox/steam/world.ts';
import { StripeRefusal } from '#sandbox/stripe/refusals.ts';
import type { StripeWorld } from '#sandbox/stripe/world.ts';
import type { TwitchWorld } from '#sandbox/twitch/world.ts';
import { TwitchWorldError } from '#sandbox/twitch/world-state.ts';
import { html } from './html.ts';
import { layout, type Page } from './layout.ts';
import { leversOn } from './trouble-board.ts';

/** The worlds that the panel controls, and the addresses of the sandbox's parts. */
export interface PanelWorlds {
  clock: WorldClock;
  mailbox: Mailbox;
  twitch: TwitchWorld;
  steam: SteamWorld;
  stripe: StripeWorld;
  /** The application's client id, to show who has connected it. */
  clientId: string;
  addresses: { product: string; images: string; twitch: string; smtp: string; clock: string };
}

/** A request that cannot be carried out; the message is shown to the user. */
export class PanelRefusal extends Error {
  readonly status: 400 | 403 | 404 | 409;
  constructor(status: 400 | 403 | 404 | 409, message: string) {
    super(message);
    this.status = status;
  }
}

/** A verb's outcome: a sentence for people, a result for programs, and the page that shows it. */
export interface Done {
  said: string;
  page: string;
  result?: Record<string, unknown>;
}

type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Record<Name, string> & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Record<Name, string>
    : Record<never, string>;

export interface DocumentedRoute {
  method: 'GET' | 'POST';
  path: string;
  fields: string[];
  does: string;
}

/** The panel under construction: worlds, and functions to add pages, verbs and JSON views. */
export interface Panel {
  worlds: PanelWorlds;
  routes: DocumentedRoute[];
  /** Adds a page for people. */
  page<const Path extends string>(
    path: Path,
    show: (params: PathParams<Path>, query: Record<string, string>) => Page,
  ): void;
  /** Adds a view for programs. */
  json<const Path extends string>(
    path: Path,
    does: string,
    show: (params: PathParams<Path>, query: Record<string, string>) => unknown,
  ): void;
  /** Adds a verb: as a form post that redirects to a page, and as JSON. */
  verb<const Path extends string, Body extends z.ZodObject>(
    path: Path,
    does: string,
    body: Body,
    act: (params: PathParams<Path>, body: z.output<Body>) => Done | Promise<Done>,
  ): void;
  server: FastifyInstance;
}

const ownNames = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

function wantsJson(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? '';
  if (accept.includes('application/json') || request.url.split('?')[0]?.endsWith('.json')) return true;
  return (
    !accept.includes('text/html') && (request.headers['content-type'] ?? '').includes('application/json')
  );
}

/** The panel page that a form was sent from, so that a verb returns to the same view. */
function previousPage(request: FastifyRequest): string | undefined {
  const referer = request.headers.referer;
  if (!referer || !URL.canParse(referer)) return undefined;
  const url = new URL(referer);
  if (url.host !== request.headers.host) return undefined;
  url.searchParams.delete('said');
  return url.pathname + url.search;
}

function withNotice(page: string, said: string): string {
  return `${page}${page.includes('?') ? '&' : '?'}said=${encodeURIComponent(said)}`;
}

function parseForm(
  _request: unknown,
  text: string | Buffer,
  done: (error: null, body: unknown) => void,
): void {
  const fields: Record<string, string | string[]> = Object.create(null);
  const form = new URLSearchParams(text.toString());
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name);
    fields[name] = values.length > 1 ? values : (values[0] ?? '');
  }
  done(null, fields);
}

/** Only pages from this machine may act: no foreign site, and no name rebound to loopback. */
function refuseForeignRequests(request: FastifyRequest): void {
  if (!ownNames.test(request.headers.host ?? '')) {
    throw new PanelRefusal(403, 'The panel answers only under localhost or 127.0.0.1.');
  }
  const site = request.headers['sec-fetch-site'];
  if (request.method !== 'GET' && site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new PanelRefusal(403, 'Requests from other sites are refused.');
  }
}

function explain(error: unknown): { status: number; message: string } {
  if (error instanceof PanelRefusal) return { status: error.status, message: error.message };
  if (error instanceof StripeRefusal)
    return { status: error.status === 404 ? 404 : 409, message: error.message };
  if (error instanceof TwitchWorldError) return { status: 409, message: error.message };
  if (error instanceof z.ZodError) {
    const faults = error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
    return { status: 400, message: `${faults.join('; ')}.` };
  }
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') {
    return { status: error.statusCode, message: error.message };
  }
  return { status: 500, message: 'The panel failed; see the log of the sandbox.' };
}

/** Creates the empty panel: parsing, headers, refusals, and functions to add routes. */
export function createPanel(worlds: PanelWorlds, log: (error: unknown) => void): Panel {
  const server = Fastify({ logger: false, bodyLimit: 256 * 1024, forceCloseConnections: true });
  const routes: DocumentedRoute[] = [];
  const images = new URL(worlds.addresses.images).origin;
  const policy = `default-src 'none'; style-src 'self'; img-src 'self' data: ${images}; frame-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'`;

  const send = (reply: FastifyReply, page: Page) => {
    const shell = {
      nowMs: worlds.clock.now(),
      offsetMs: worlds.clock.offsetMs(),
      productUrl: worlds.addresses.product,
      trouble: leversOn(worlds),
    };
    return reply.type('text/html; charset=utf-8').send(layout(shell, page).markup);
  };

  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, parseForm);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': policy,
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    refuseForeignRequests(request);
  });
  server.setErrorHandler((error, request, reply) => {
    const { status, message } = explain(error);
    if (status >= 500) log(error);
    reply.code(status);
    if (wantsJson(request)) return reply.send({ message });
    const back = previousPage(request) ?? '/';
    const body = html`<p class="trouble" role="alert">${message}</p><p><a href="${back}">Go back</a></p>`;
    return send(reply, { title: 'Something went wrong', section: '', body });
  });
  server.setNotFoundHandler(() => {
    throw new PanelRefusal(404, 'Page not found.');
  });

  return {
    worlds,
    routes,
    server,
    page(path, show) {
      server.get(path, (request, reply) => {
        const query = request.query as Record<string, string>;
        const page = show(request.params as PathParams<typeof path>, query);
        return send(reply, { ...page, notice: query.said });
      });
    },
    json(path, does, show) {
      routes.push({ method: 'GET', path, fields: [], does });
      server.get(path, async (request) =>
        show(request.params as PathParams<typeof path>, request.query as Record<string, string>),
      );
    },
    verb(path, does, body, act) {
      routes.push({ method: 'POST', path, fields: Object.keys(body.shape), does });
      server.post(path, async (request, reply) => {
        const fields = body.parse(request.body ?? {});
        const done = await act(request.params as PathParams<typeof path>, fields);
        if (wantsJson(request)) return { ok: true, said: done.said, ...done.result };
        return reply.redirect(withNotice(previousPage(request) ?? done.page, done.said), 303);
      });
    },
  };
}
