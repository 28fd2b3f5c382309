import { RouterContextProvider } from 'react-router';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createApi } from '#app/api/api.server.ts';
import { type CallName, endpoint } from '#app/api/endpoint.ts';
import { processLog } from '#app/http/logger.server.ts';
import { PATIENCE_MS } from '#tests/support/patience.ts';
import { until } from '#tests/support/steam-stage.ts';
import { setWeb } from '../support/web.ts';

// Some modules read the configuration when they are loaded, so the app is imported after this.
await setWeb({ TWITCH_CLIENT_ID: 'demo-client', TWITCH_CLIENT_SECRET: 'demo-secret' });
const { App, serve } = await import('./support/app.ts');
const { holdToken, viewer } = await import('./support/people.ts');

const nothing = { access: 'anyone' } as const;
const demo = [
  endpoint({
    ...nothing,
    method: 'GET',
    path: '/late',
    name: 'late' as CallName,
    handle: () => new Promise(() => {}),
  }),
  endpoint({
    ...nothing,
    method: 'GET',
    path: '/broken',
    name: 'broken' as CallName,
    handle: () => Promise.reject(new Error('select secret from users')),
  }),
  endpoint({
    ...nothing,
    method: 'GET',
    path: '/away',
    name: 'away' as CallName,
    handle: () => {
      const cause = Object.assign(new Error('server login has been failing'), { code: '08P01' });
      return Promise.reject(new Error('Failed query', { cause }));
    },
  }),
  endpoint({
    ...nothing,
    method: 'GET',
    path: '/refused/{id}',
    name: 'refused' as CallName,
    params: z.strictObject({ id: z.string() }),
    handle: async ({ refuse }) => refuse('neverListed' as never),
  }),
];

async function ask(path: string, options: { deadlineMs?: number } = {}) {
  const context = new RouterContextProvider();
  const logged: unknown[] = [];
  const errors = vi.spyOn(processLog, 'error').mockImplementation((line: unknown) => void logged.push(line));
  onTestFinished(() => errors.mockRestore());
  const api = createApi(demo, [], options);
  const response = await api(new Request(`http://localhost:3000${path}`), context);
  return { response, body: await response.json(), logged };
}

test('A call that takes too long is answered as temporarily unavailable', async () => {
  const { response, body } = await ask('/late', { deadlineMs: 30 });
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(body.errors[0].code).toBe('timedOut');
});

test('A call may take thirty seconds, as in the specification', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let status: number | null = null;
  void ask('/late').then(({ response }) => {
    status = response.status;
  });
  await vi.advanceTimersByTimeAsync(29_999);
  expect(status).toBeNull();
  await vi.advanceTimersByTimeAsync(1);
  await vi.waitFor(() => expect(status).toBe(503), PATIENCE_MS);
});

test.each(['/broken', '/refused/1'])(
  'A bug in %s is logged in full, and reported without details',
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

test('A database that is away is reported as temporarily unavailable', async () => {
  const { response, body, logged } = await ask('/away');
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(body.errors[0]).toMatchObject({ status: '503', code: 'unavailable' });
  expect(logged).toMatchObject([{ err: expect.any(Error) }]);
});

test('Signing up with Twitch starts with a Twitch URL and a state bound to this browser', async () => {
  const app = new App();
  const reply = await app.post('/api/v1/register/twitch', { json: { permissions: 'streamer' } });
  const url = new URL(reply.body.data.attributes.url);
  expect([url.origin, url.searchParams.get('client_id')]).toEqual(['https://id.twitch.tv', 'demo-client']);
  expect(url.searchParams.get('scope')).toContain('moderator:read:chatters');
  expect(url.searchParams.get('redirect_uri')).toBe('http://localhost:3000/auth/twitch/callback');
  expect(reply.headers.getSetCookie().some((cookie) => cookie.startsWith('keepsake_twitch'))).toBe(true);
});

test('The notification stream sends its caller’s notifications only', async () => {
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
  let reported = '';
  const reading = (async () => {
    for await (const part of response.body ?? []) {
      reported += Buffer.from(part).toString();
      if (reported.includes('account.changed')) return;
    }
  })();
  // The stream's first poll is not immediate, so changes go on until one is reported.
  await until(async () => {
    await other.patch('/api/v1/users', { json: { name: 'Other' } });
    await program.patch('/api/v1/users', { json: { name: 'Own' } });
    return reported.includes('account.changed');
  }, 'an event');
  await reading;
  stop.abort();
  const subjects = [...reported.matchAll(/"subject_id":"([^"]+)"/g)].map(([, id]) => id);
  expect(new Set(subjects)).toEqual(new Set([userId]));
});

const follow = (program: InstanceType<typeof App>, signal?: AbortSignal) =>
  serve(
    new Request('http://localhost:3000/api/v1/notifications/stream', {
      headers: { Authorization: `Bearer ${program.token}`, Accept: 'text/event-stream' },
      signal: signal ?? null,
    }),
    '10.8.0.3',
  );

test('An app’s stream ends when its token is revoked', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const [program, stays] = [await holdToken(await viewer()), await holdToken(await viewer())];
  const stop = new AbortController();
  const [stream, other] = [await follow(program), await follow(stays, stop.signal)];
  let ended = 0;
  for (const each of [stream, other])
    void new Response(each.body).text().then(
      () => ended++,
      () => {},
    );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(ended).toBe(0);
  await program.post('/api/v1/logout');
  await vi.advanceTimersByTimeAsync(15_000);
  await until(() => ended === 1, 'the end of the stream');
  stop.abort();
});

test('A user can have at most ten streams at once', async () => {
  const program = await holdToken(await viewer());
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  for (let open = 0; open < 10; open++) expect((await follow(program, stop.signal)).status).toBe(200);
  const refused = await follow(program, stop.signal);
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '30']);
  expect(await refused.json()).toMatchObject({ errors: [{ code: 'tooManyRequests' }] });
});

test('Guessed tokens are counted per IP address, and do not lock out valid ones', async () => {
  const { admitCaller } = await import('#app/api/limits.server.ts');
  const [guesser, program] = [new App(), await holdToken(await viewer())];
  guesser.token = 'keepsake_made_up';
  for (let calls = 0; calls < 599; calls++) await admitCaller(guesser.address);
  expect((await guesser.get('/api/v1/users')).status).toBe(401);
  expect(await guesser.get('/api/v1/users')).toMatchObject({ status: 429, codes: ['tooManyRequests'] });
  guesser.token = program.token;
  expect((await guesser.get('/api/v1/users')).status).toBe(200);
});

test('The 601st call in a minute is refused, with the time to retry', async () => {
  const { admitCaller } = await import('#app/api/limits.server.ts');
  for (let calls = 0; calls < 600; calls++) await admitCaller('somebody');
  await expect(admitCaller('somebody')).rejects.toMatchObject({
    faults: [{ status: 429, code: 'tooManyRequests' }],
    headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
  });
  await admitCaller('somebody else');
});
