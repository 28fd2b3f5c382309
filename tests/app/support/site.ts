import type { ComponentType } from 'react';
import {
  createRequestHandler,
  type ServerBuild,
  UNSAFE_withErrorBoundaryProps as withErrorProps,
  UNSAFE_withComponentProps as withProps,
} from 'react-router';
import * as entry from '#app/entry.server.tsx';
import type { Language } from '#app/locales/languages.ts';
import * as root from '#app/root.tsx';
import routes from '#app/routes.ts';
import { visitorOf } from './signed-in.ts';
import { Visitor } from './visitor.ts';

type Entry = { file: string; id?: string; path?: string; index?: boolean; children?: Entry[] };

const future = {
  v8_middleware: true,
  v8_passThroughRequests: true,
  v8_splitRouteModules: true,
  v8_trailingSlashAwareDataRequests: true,
  v8_viteEnvironmentApi: true,
};

/** A route's manifest entry: scripts are not loaded here, so only fields needed for rendering. */
const assetOf = ({
  id,
  parentId,
  path,
  index,
}: {
  id: string;
  parentId?: string;
  path?: string;
  index?: boolean;
}) => ({
  id,
  parentId,
  path,
  index,
  hasAction: false,
  hasLoader: true,
  hasClientAction: false,
  hasClientLoader: false,
  hasClientMiddleware: false,
  hasErrorBoundary: id === 'root',
  imports: [],
  css: [],
  module: `/${id}.js`,
});

/** A route's module as the bundler exports it: its components receive loader and action data. */
function served(module: object): object {
  const { default: Page, ErrorBoundary } = module as Record<string, ComponentType<never> | undefined>;
  return {
    ...module,
    default: Page && withProps(Page as never),
    ErrorBoundary: ErrorBoundary && withErrorProps(ErrorBoundary as never),
  };
}

async function modulesOf(entries: readonly Entry[], parentId: string): Promise<ServerBuild['routes']> {
  const found: ServerBuild['routes'] = {};
  for (const { file, id = file.replace(/\.tsx?$/, ''), path, index, children = [] } of entries) {
    const module = await import(/* @vite-ignore */ `../../../app/${file}`);
    found[id] = { id, parentId, path, index, module: served(module as object) } as never;
    Object.assign(found, await modulesOf(children, id));
  }
  return found;
}

/** The site built from its sources, like the bundler does: every route of routes.ts below the root. */
async function buildSite(): Promise<ServerBuild> {
  const below = await modulesOf((await routes) as Entry[], 'root');
  const all = {
    root: { id: 'root', path: '', module: served(root) },
    ...below,
  } as unknown as ServerBuild['routes'];
  const assets = Object.fromEntries(Object.entries(all).map(([id, route]) => [id, assetOf(route as never)]));
  return {
    entry: { module: entry },
    routes: all,
    assets: {
      entry: { imports: [], module: '/entry.js' },
      routes: assets,
      url: '/manifest.js',
      version: '1',
    },
    publicPath: '/',
    assetsBuildDirectory: 'none',
    future,
    ssr: true,
    isSpaMode: false,
    prerender: [],
    routeDiscovery: { mode: 'initial', manifestPath: '/manifest' },
    allowedActionOrigins: false,
  } as unknown as ServerBuild;
}

export const site = await buildSite();
const handle = createRequestHandler(site, 'production');

/** A complete document as a reader received it. */
export interface Page {
  status: number;
  /** The final URL: a local path or another site's URL. */
  path: string;
  html: string;
  headers: Headers;
}

/** The site's origin, as configured in tests. */
const own = 'http://localhost:3000';

const named: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&', '#x27': "'" };

/** A page's text, without markup and scripts. */
export const wordsOf = (html: string): string =>
  html
    .replace(/<!--.*?-->/gs, '')
    .replace(/<script\b[^>]*>.*?<\/script>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(#?\w+);/g, (whole, name: string) => named[name] ?? whole)
    .replace(/\s+/g, ' ');

/** A user of the whole site: every page goes through the root, its middleware, guards and rendering. */
export class Reader {
  readonly #cookies: Map<string, string>;
  readonly language: Language;
  // Each reader has an own IP address, so that tests do not share rate limits.
  readonly #address = new Visitor().address;

  constructor(language: Language, cookies = new Map<string, string>()) {
    this.language = language;
    this.#cookies = cookies;
  }

  /** Opens a page or submits a form, and follows redirects on this site. */
  async open(path: string, form?: Record<string, string>): Promise<Page> {
    const response = await this.#ask(path, form);
    const { status, headers } = response;
    const to = headers.get('Location');
    if (to === null || status < 300 || status >= 400)
      return { status, path, html: await response.text(), headers };
    return new URL(to, own).origin === own ? this.open(to) : { status, path: to, html: '', headers };
  }

  async #ask(path: string, form: Record<string, string> | undefined): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const context = entry.createLoadContext({ address: this.#address });
    const request = new Request(new URL(path, own), {
      method: form ? 'POST' : 'GET',
      headers: {
        Host: 'localhost:3000',
        Origin: own,
        Cookie: cookie,
        'Accept-Language': this.language,
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    const response = await handle(request, context);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}

/** A reader with this visitor's browser. */
export const readerLike = (visitor: Visitor, language: Language = 'en'): Reader =>
  new Reader(language, new Map(visitor.cookieNames().map((name) => [name, visitor.cookie(name) ?? ''])));

/** A signed-in reader. */
export const readerOf = async (userId: string, language: Language = 'en'): Promise<Reader> =>
  readerLike(await visitorOf(userId), language);
