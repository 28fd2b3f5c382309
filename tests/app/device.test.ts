import { eq } from 'drizzle-orm';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  customFetch,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  discoveryRequest,
  None,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  processDiscoveryResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import { RouterContextProvider } from 'react-router';
import { expect, test, vi } from 'vitest';
import { verified } from '#app/middleware/guards.server.ts';
import { isOwnRequest } from '#app/middleware/same-origin.server.ts';
import { loader as serverLoader } from '#app/routes/device/authorization-server.ts';
import { action as pageAction, loader as pageLoader } from '#app/routes/device/device.tsx';
import {
  action as authorizationAction,
  loader as authorizationLoader,
} from '#app/routes/device/device-authorization.ts';
import { action as tokenAction } from '#app/routes/device/token.ts';
import { action as revokeAction } from '#app/routes/settings/revoke-token.tsx';
import { loader as settingsLoader } from '#app/routes/settings/settings.tsx';
import { database } from '#app/services/database.server.ts';
import { accessRequests } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import { issueApiToken, MAX_API_TOKENS } from '#domain/identity/access/issue-api-token.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { confirmedAgo } from './support/confirmed-ago.ts';
import { member } from './support/member.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb();

const origin = 'http://localhost:3000';
const client: Client = { client_id: 'Demo speaker' };
const routes: Record<string, (args: never) => unknown> = {
  '/oauth/device_authorization': authorizationAction,
  '/oauth/token': tokenAction,
};

/** A program that signs in by a client of others, which checks each answer against the RFCs. */
async function makeProgram() {
  const visitor = new Visitor();
  const fetch = async (url: string, { body }: { body?: unknown }): Promise<Response> => {
    const { pathname } = new URL(url);
    if (pathname === '/.well-known/oauth-authorization-server') return serverLoader();
    const handler = routes[pathname];
    if (!handler) throw new Error(`no ${pathname}`);
    const form = new URLSearchParams(String(body));
    const { status, headers, text } = await visitor.call(handler, pathname, { form });
    return new Response(text, { status, headers });
  };
  const options = { [customFetch]: fetch, [allowInsecureRequests]: true } as never;
  const issuer = new URL(origin);
  const server: AuthorizationServer = await processDiscoveryResponse(
    issuer,
    await discoveryRequest(issuer, { ...(options as object), algorithm: 'oauth2' }),
  );
  const asked = await processDeviceAuthorizationResponse(
    server,
    client,
    await deviceAuthorizationRequest(server, client, None(), {}, options),
  );
  return {
    asked,
    /** The token, or the error of the answer. */
    async ask(): Promise<string> {
      const answer = await deviceCodeGrantRequest(server, client, None(), asked.device_code, options);
      try {
        return (await processDeviceCodeResponse(server, client, answer)).access_token;
      } catch (error) {
        if (error instanceof ResponseBodyError) return error.error;
        throw error;
      }
    },
  };
}

/** The machine's clock, which the pauses between questions go by, moved on as far as a program waits. */
function timeTravel() {
  vi.useFakeTimers({ toFake: ['Date'] });
  return {
    pass: (ms: number) => vi.setSystemTime(Date.now() + ms),
    [Symbol.dispose]: () => vi.useRealTimers(),
  };
}

const decide = (visitor: Visitor, user_code: string, decision?: 'allow' | 'refuse') =>
  visitor.call(pageAction, '/device', { form: { user_code, ...(decision && { decision }) } });
const tokensOf = async (visitor: Visitor) =>
  (await visitor.call(settingsLoader, '/settings', { guard: verified })).body.tokens;

test('A program without a keyboard gets a token after its code was compared and allowed, and loses it in the settings', async () => {
  using time = timeTravel();
  const { visitor } = await member();
  const { asked, ask } = await makeProgram();
  expect(asked).toMatchObject({
    verification_uri: `${origin}/device`,
    verification_uri_complete: `${origin}/device?user_code=${asked.user_code}`,
    expires_in: 600,
    interval: 5,
  });
  expect(await ask()).toBe('authorization_pending');
  // Opening the address with the code in it shows a filled field, and neither finds nor decides.
  const opened = await visitor.call(pageLoader, `/device?user_code=${asked.user_code}`);
  expect(opened.body).toMatchObject({ name: 'Demo person', userCode: asked.user_code });
  const found = await decide(visitor, asked.user_code);
  expect(found.body.found).toMatchObject({ program: 'Demo speaker', userCode: asked.user_code });
  time.pass(5 * second);
  expect(await ask()).toBe('authorization_pending');
  expect((await decide(visitor, asked.user_code, 'allow')).body).toMatchObject({ decided: 'allowed' });
  time.pass(5 * second);
  const token = await ask();
  const db = await database();
  expect(await findApiToken(db, { token }, Date.now())).not.toBeNull();
  time.pass(5 * second);
  expect(await ask()).toBe('invalid_grant');
  const [listed] = await tokensOf(visitor);
  expect(listed).toMatchObject({ name: 'Demo speaker' });
  await visitor.call(revokeAction, `/settings/tokens/${listed.id}/revoke`, {
    form: {},
    params: { id: listed.id },
    guard: verified,
  });
  expect(await findApiToken(db, { token }, Date.now())).toBeNull();
});

test('A program that asks too often, is refused, or comes too late is told so', async () => {
  using time = timeTravel();
  const { visitor } = await member();
  const { asked, ask } = await makeProgram();
  expect(await ask()).toBe('authorization_pending');
  expect(await ask()).toBe('slow_down');
  time.pass(10 * second);
  expect(await ask()).toBe('authorization_pending');
  expect((await decide(visitor, asked.user_code, 'refuse')).body).toMatchObject({ decided: 'refused' });
  time.pass(10 * second);
  expect(await ask()).toBe('access_denied');
  expect(await tokensOf(visitor)).toEqual([]);
  const late = await makeProgram();
  time.pass(10 * minute);
  expect(await late.ask()).toBe('expired_token');
});

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
test.each([
  ['/oauth/token', {}, 'invalid_request'],
  ['/oauth/token', { grant_type: 'password', client_id: 'x' }, 'unsupported_grant_type'],
  ['/oauth/token', { grant_type: grant, client_id: 'x' }, 'invalid_request'],
  ['/oauth/token', { grant_type: grant, device_code: 'x' }, 'invalid_request'],
  ['/oauth/token', { grant_type: grant, device_code: 'x', client_id: 'x' }, 'invalid_grant'],
  ['/oauth/device_authorization', {}, 'invalid_request'],
  ['/oauth/device_authorization', { client_id: ' ' }, 'invalid_request'],
  ['/oauth/device_authorization', { client_id: '\u202emoc' }, 'invalid_request'],
  ['/oauth/device_authorization', { client_id: 'x'.repeat(61) }, 'invalid_request'],
  ['/oauth/device_authorization', { client_id: 'x', scope: 'all' }, 'invalid_scope', /no scopes/],
] as const)('%s answers %o with %s', async (path, form, error, why?: RegExp) => {
  const answer = await new Visitor().call(routes[path] as never, path, { form: form as never });
  const description = why && { error_description: expect.stringMatching(why) };
  expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { error, ...description }]);
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
});

test('Only a form counts, each of its values once, and only by POST', async () => {
  const path = '/oauth/device_authorization';
  const twice = new URLSearchParams([
    ['client_id', 'one'],
    ['client_id', 'other'],
  ]);
  const form = { client_id: 'x' };
  const typed = (type: string) =>
    new Visitor().call(authorizationAction, path, { form, headers: { 'Content-Type': type } });
  const wrong = [
    await new Visitor().call(authorizationAction, path, { form: twice }),
    await typed('application/json'),
    await typed('application/x-www-form-urlencoded-not'),
  ];
  for (const { text } of wrong) expect(JSON.parse(text)).toEqual({ error: 'invalid_request' });
  expect((await typed('Application/X-WWW-Form-Urlencoded ; charset=utf-8')).status).toBe(200);
  const get = await new Visitor().call(authorizationLoader, path);
  expect([get.status, get.headers.get('Cache-Control')]).toEqual([405, 'no-store']);
  for (const [address, action] of Object.entries(routes)) {
    const put = new Request(origin + address, { method: 'PUT', body: new URLSearchParams(form) });
    const context = new RouterContextProvider();
    expect(await action({ request: put, context, params: {} } as never)).toMatchObject({ status: 405 });
    const headers = { Authorization: 'Basic eDp5' };
    const secret = await new Visitor().call(action as never, address, { form, headers });
    expect([secret.status, JSON.parse(secret.text).error]).toEqual([401, 'invalid_client']);
    expect(secret.headers.get('WWW-Authenticate')).toMatch(/^Basic /);
  }
  // A program has no page of ours behind it.
  expect(isOwnRequest(new Request(origin + path, { method: 'POST' }), origin)).toBe(true);
});

test('The page shows a code as its program does, and never what a link puts beside it', async () => {
  const { visitor } = await member();
  const { asked } = await makeProgram();
  const open = async (code: string) =>
    (await visitor.call(pageLoader, `/device?${new URLSearchParams({ user_code: code })}`)).body.userCode;
  const plain = asked.user_code.replace('-', '').toLowerCase();
  expect(await open(plain)).toBe(asked.user_code);
  expect((await decide(visitor, plain)).body.found.userCode).toBe(asked.user_code);
  for (const dressed of [`${asked.user_code} · код вашего приза`, `${asked.user_code}B`]) {
    expect(await open(dressed)).toBe('');
    const { status, body } = await decide(visitor, dressed);
    // The typed code stays in its field, to be mended.
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ found: null, entered: dressed, isFull: false }),
    ]);
  }
});

test('An account that can have no more tokens is sent to those it has', async () => {
  const { visitor, email } = await member();
  const { asked } = await makeProgram();
  const db = await database();
  const [{ userId } = { userId: '' }] = await db.read
    .select({ userId: users.id })
    .from(users)
    .where(eq(users.email, email));
  for (let number = 0; number < MAX_API_TOKENS; number++)
    await issueApiToken(db, { userId, name: `Program ${number}` }, Date.now());
  const { body } = await decide(visitor, asked.user_code, 'allow');
  expect(body).toMatchObject({ isFull: true, entered: asked.user_code });
});

test('A code that nobody waits with is refused, and so is guessing', async () => {
  const { visitor } = await member();
  const answers = [];
  for (let attempt = 0; attempt < 21; attempt++) answers.push(await decide(visitor, 'BBBB-CCCC'));
  expect(answers[19]).toMatchObject({
    status: 400,
    body: { found: null, error: 'errors.account.accessRequestUnknown' },
  });
  expect(answers[20]?.status).toBe(429);
});

test('A network address opens a bounded number of requests, and none is stored beyond', async () => {
  const visitor = new Visitor();
  const open = () =>
    visitor.call(authorizationAction, '/oauth/device_authorization', { form: { client_id: 'Demo' } });
  const db = await database();
  const before = await db.read.$count(accessRequests);
  for (let number = 0; number < 30; number++) expect((await open()).status).toBe(200);
  const beyond = await open();
  expect([beyond.status, JSON.parse(beyond.text)]).toEqual([429, { error: 'slow_down' }]);
  expect(Number(beyond.headers.get('Retry-After'))).toBeGreaterThan(0);
  expect(await db.read.$count(accessRequests)).toBe(before + 30);
});

test('A visitor is asked to sign in and comes back with the code; a session that is old is asked who uses it', async () => {
  const page = '/device?user_code=BCDF-GHJK';
  const { body } = await new Visitor().call(pageLoader, page);
  expect(body).toEqual({
    name: null,
    userCode: 'BCDF-GHJK',
    signIn: `/auth/signin?${new URLSearchParams({ to: page })}`,
  });
  expect((await decide(new Visitor(), 'BCDF-GHJK')).location).toBe('/auth/signup');
  const { visitor } = await member();
  await confirmedAgo(visitor, 11 * minute);
  const { location } = await decide(visitor, 'BCDF-GHJK', 'allow');
  expect(location).toBe(`/profile/confirm?${new URLSearchParams({ to: page })}`);
});
