import { RouterContextProvider } from 'react-router';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createApi } from '#app/api/api.server.ts';
import { endpoint } from '#app/api/endpoint.ts';
import { logContext } from '#app/middleware/contexts.server.ts';
import { until } from '#tests/support/steam-stage.ts';
import { setWeb } from '../support/web.ts';

// Some modules read the configuration as soon as they are loaded, so the app is imported after this.
await setWeb({ TWITCH_CLIENT_ID: 'demo-client', TWITCH_CLIENT_SECRET: 'demo-secret' });
const { App, serve } = await import('./support/app.ts');
const { holdToken, viewer } = await import('./support/people.ts');

const nothing = { about: 'A demo call.', access: 'anyone' } as const;
const demo = [
  endpoint({ ...nothing, method: 'GET', path: '/late', name: 'late', handle: () => new Promise(() => {}) }),
  endpoint({
    ...nothing,
    method: 'GET',
    path: '/broken',
    name: 'broken',
    handle: () => Promise.reject(new Error('select secret from users')),
  }),
  endpoint({
    ...nothing,
    method: 'GET',
    path: '/refused/{id}',
    name: 'refused',
    params: z.strictObject({ id: z.string() }),
    handle: async ({ refuse }) => refuse('neverListed' as never),
  }),
];

async function ask(path: string) {
  const context = new RouterContextProvider();
  const logged: unknown[] = [];
  const note = (line: unknown) => logged.push(line);
  context.set(logContext, { debug: note, info: note, warn: note, error: note } as never);
  const api = createApi(demo, [], { deadlineMs: 30 });
  const response = await api(new Request(`http://localhost:3000${path}`), context);
  return { response, body: await response.json(), logged };
}

test('A call that takes too long is answered for, as something to try later', async () => {
  const { response, body } = await ask('/late');
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(body.errors[0].code).toBe('timedOut');
});

test.each(['/broken', '/refused/1'])(
  'A bug in %s is logged whole, and told as nothing but a bug',
  async (path) => {
    const { response, body, logged } = await ask(path);
    expect(response.status).toBe(500);
    expect(response.headers.get('Content-Type')).toBe('application/vnd.api+json');
    const { errors } = body;
    expect(errors).toEqual([
      { status: '500', code: 'unexpected', title: 'Failed', detail: 'Oops, something went wrong.' },
    ]);
    expect(logged).toMatchObject([{ err: expect.any(Error) }]);
  },
);

test('Signing up by Twitch begins with an address at Twitch and a state that only this browser holds', async () => {
  const app = new App();
  const reply = await app.post('/api/v1/register/twitch', { json: { permissions: 'streamer' } });
  const url = new URL(reply.body.data.attributes.url);
  expect([url.origin, url.searchParams.get('client_id')]).toEqual(['https://id.twitch.tv', 'demo-client']);
  expect(url.searchParams.get('scope')).toContain('moderator:read:chatters');
  expect(url.searchParams.get('redirect_uri')).toBe('http://localhost:3000/auth/twitch/callback');
  expect(reply.headers.getSetCookie().some((cookie) => cookie.startsWith('keepsake_twitch'))).toBe(true);
});

test('The stream of notifications tells what happens to its caller, and to nobody else', async () => {
  const { userId } = await viewer();
  const [program, other] = [await holdToken({ userId }), (await viewer()).app];
  const stop = new AbortController();
  const headers = { Authorization: `Bearer ${program.token}`, Accept: 'text/event-stream' };
  const request = new Request('http://localhost:3000/api/v1/notifications/stream', {
    headers,
    signal: stop.signal,
  });
  const response = await serve(request, '10.8.0.2');
  expect(response.headers.get('Content-Type')).toMatch(/^text\/event-stream/);
  let told = '';
  const reading = (async () => {
    for await (const part of response.body ?? []) {
      told += Buffer.from(part).toString();
      if (told.includes('account.changed')) return;
    }
  })();
  // The stream's first look is not at once: changes go on until one of them is told.
  await until(async () => {
    await other.patch('/api/v1/users', { json: { name: 'Other' } });
    await program.patch('/api/v1/users', { json: { name: 'Own' } });
    return told.includes('account.changed');
  }, 'an event');
  await reading;
  stop.abort();
  const subjects = [...told.matchAll(/"subject_id":"([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(subjects)).toEqual(new Set([userId]));
});

test('The six-hundredth-and-first call of a minute is refused, and says when to come back', async () => {
  const { admitCaller } = await import('#app/api/limits.server.ts');
  for (let calls = 0; calls < 600; calls++) await admitCaller('somebody');
  await expect(admitCaller('somebody')).rejects.toMatchObject({
    faults: [{ status: 429, code: 'tooManyRequests' }],
    headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
  });
  await admitCaller('somebody else');
});
