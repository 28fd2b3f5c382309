import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequestHandler, type EntryContext, type ServerBuild } from 'react-router';
import { beforeAll, expect, test } from 'vitest';
import { routeHandlers } from '#app/http/route-handlers.ts';
import { loadBuild } from '#app/server.ts';
import { setWebEnvironment } from './support/web-environment.ts';

const paths = [
  ['/', 'landing'],
  ['/faq', 'faq'],
  ['/FAQ/', 'faq'],
  ['/%66aq', 'faq'],
  ['/contact_us/confirm', 'confirm'],
  ['/auth/signin', 'signin'],
  ['/auth/forgot-password', 'forgot-password'],
  ['/auth/no-such-page', 'not-found'],
  ['/proof/0199', 'rule-proof'],
  ['/proof/0199/4', 'draw-proof'],
  ['/api/docs', 'docs'],
  ['/no/such/page', 'not-found'],
  ['//faq', 'not-found'],
] as const;

let build: ServerBuild;

beforeAll(async () => {
  setWebEnvironment();
  if (!existsSync('build/server/index.js'))
    execFileSync('npx', ['react-router', 'build'], { stdio: 'ignore' });
  const whole = await loadBuild();
  // The entry reports the matched route; nothing is rendered, and no session is read.
  const name = (_: Request, __: number, ___: Headers, { staticHandlerContext }: EntryContext) =>
    new Response(staticHandlerContext.matches.at(-1)?.route.id);
  const routes = Object.fromEntries(
    Object.entries(whole.routes).map(([id, route]) => {
      const { default: component } = route?.module ?? {};
      return [id, { ...route, module: { default: component ?? (() => null) } }];
    }),
  ) as ServerBuild['routes'];
  build = { ...whole, routes, entry: { module: { ...whole.entry.module, default: name } } } as ServerBuild;
});

test.each(paths)('The URL %s matches the same route as among all routes', async (path, name) => {
  const request = () => new Request(`http://localhost:3000${path}`);
  const [own, whole] = await Promise.all([
    routeHandlers(build)(request()),
    createRequestHandler(build, 'production')(request()),
  ]);
  const route = await own.text();
  expect(route).toBe(await whole.text());
  expect(route.split('/').at(-1)).toBe(name);
});
