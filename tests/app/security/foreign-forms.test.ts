import { type MiddlewareFunction, RouterContextProvider } from 'react-router';
import { expect, test } from 'vitest';
import { refuseForeign } from '#app/middleware/same-origin.server.ts';
import { middleware } from '#app/root.tsx';
import { routeModules } from '../support/route-modules.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

/** Calls that programs make and that check their sender themselves; covered by their own tests. */
const checkedElsewhere = new Set([
  '/api/*',
  '/sanctum/csrf-cookie',
  '/webhooks/stripe',
  '/oauth/device_authorization',
  '/oauth/token',
]);
const own = 'http://localhost:3000';

const mutating = (await routeModules()).filter(({ action }) => action).map(({ path }) => path);

/** Sends a request through the middleware before the routes, and returns whether it passed. */
async function reaches(
  path: string,
  headers: Record<string, string>,
  method = 'POST',
): Promise<number | 'route'> {
  const request = new Request(`${own}${path.replaceAll(/:[^/]+/g, 'some-id')}`, { method, headers });
  const args = { request, context: new RouterContextProvider(), params: {} };
  let reached = false;
  const next = (place: number) => async (): Promise<Response> => {
    const here = (middleware as MiddlewareFunction<Response>[])[place];
    if (!here) {
      reached = true;
      return new Response(null);
    }
    return (await here(args as never, next(place + 1) as never)) as Response;
  };
  const response = await next(0)();
  return reached ? 'route' : response.status;
}

const foreign: [string, Record<string, string>][] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
  ['a sibling host', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://x.localhost:3000' }],
  ['another site in an old browser', { Origin: 'https://evil.example' }],
  ['a frame without an origin', { Origin: 'null' }],
  ['nowhere that it tells', {}],
  [
    'another site that claims to be a program',
    { Origin: 'https://evil.example', Authorization: 'Bearer x', Cookie: 'a=b' },
  ],
];

test.each(['/oauth/device_authorization', '/oauth/token'])(
  '%s is for programs, which say nothing of a page, and not for another site’s pages',
  async (path) => {
    for (const headers of [
      {},
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: own },
    ])
      expect(await reaches(path, headers as Record<string, string>)).toBe('route');
    for (const [from, headers] of foreign.filter(([, sent]) => Object.keys(sent).length > 0)) {
      expect(await reaches(path, headers), from).toBe(400);
      const refused = await refuseForeign(new Request(own + path, { method: 'POST', headers }));
      expect(await refused?.json()).toMatchObject({ error: 'invalid_request' });
    }
    expect(await reaches('/oauth/another', {})).toBe(403);
  },
);

test('Some routes change something, and each of them is checked', () => {
  expect(mutating).toContain('/settings/delete');
  expect(mutating.length).toBeGreaterThan(10);
});

test.each(mutating.filter((path) => !checkedElsewhere.has(path)))(
  'A form to %s is accepted from our own pages only',
  async (path) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const [from, headers] of foreign)
        expect(await reaches(path, headers, method), `${method} from ${from}`).toBe(403);
    expect(await reaches(path, { 'Sec-Fetch-Site': 'same-origin', Origin: own })).toBe('route');
    expect(await reaches(path, { Origin: own })).toBe('route');
  },
);
