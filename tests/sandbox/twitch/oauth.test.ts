import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretPost,
  customFetch,
  nopkce,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { clientId, clientSecret, startDemo } from './start-demo.ts';

type Demo = Awaited<ReturnType<typeof startDemo>>;

const redirectURI = 'http://localhost:3000/auth/twitch/callback';

/** A standard client with Twitch's deviations: client in the body, scope as a list. */
function standardClient(base: string) {
  const server = { issuer: base, token_endpoint: `${base}/token` };
  const client = { client_id: clientId };
  const joinScope = async (url: string, options: object) => {
    const { scope, ...body } = (await (await fetch(url, options)).json()) as { scope: string[] };
    return Response.json({ ...body, scope: scope.join(' ') });
  };
  return {
    startUrl(state: string): string {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectURI,
        scope: 'user:read:email moderator:read:chatters',
        state,
      });
      return `${base}/authorize?${query}`;
    },
    async tokenOf(address: string, state: string): Promise<string> {
      const parameters = validateAuthResponse(server, client, new URL(address), state);
      const secret = ClientSecretPost(clientSecret);
      const options = { [customFetch]: joinScope, [allowInsecureRequests]: true };
      const request = authorizationCodeGrantRequest;
      const answer = await request(server, client, secret, parameters, redirectURI, nopkce, options);
      return (await processAuthorizationCodeResponse(server, client, answer)).access_token;
    },
  };
}

async function post(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
    redirect: 'manual',
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json');
  const body: Record<string, unknown> = isJson ? JSON.parse(text) : {};
  return { status: answer.status, location: answer.headers.get('location'), text, body };
}

/** Submits a page's form as a browser does: its hidden fields and the person's choice. */
async function submit(page: string, url: string, choice: Record<string, string>) {
  const fields: Record<string, string> = {};
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g))
    fields[name ?? ''] = (value ?? '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  return post(url, { ...fields, ...choice });
}

async function authorize(demo: Demo, choice: Record<string, string>, scope = 'user:read:email') {
  const url = `${demo.url}/auth/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectURI,
    response_type: 'code',
    scope,
    state: 'st"ate&<1>',
  })}`;
  const page = await (await fetch(url)).text();
  const answer = await submit(page, `${demo.url}/auth/authorize`, choice);
  return { page, answer, target: new URL(answer.location ?? 'http://nowhere.invalid') };
}

const token = (demo: Demo, fields: Record<string, string>) =>
  post(`${demo.url}/auth/token`, { client_id: clientId, client_secret: clientSecret, ...fields });

const validate = async (demo: Demo, accessToken: unknown) => {
  const answer = await fetch(`${demo.url}/auth/validate`, {
    headers: { authorization: `OAuth ${accessToken}` },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe('the authorization code flow', () => {
  test('signs in the selected person through a standard client', async () => {
    const demo = await startDemo();
    const { startUrl, tokenOf } = standardClient(`${demo.url}/auth`);
    const page = await (await fetch(startUrl('a state'))).text();
    expect(page).toContain('Demo_Viewer_01');
    expect(page).toContain('See who is in your chat');
    const answer = await submit(page, `${demo.url}/auth/authorize`, {
      login: 'demo_viewer_01',
      decision: 'approve',
    });
    const accessToken = await tokenOf(answer.location ?? '', 'a state');
    expect((await validate(demo, accessToken)).body).toMatchObject({
      client_id: clientId,
      login: 'demo_viewer_01',
      user_id: demo.viewer.id,
      scopes: ['user:read:email', 'moderator:read:chatters'],
    });
  });

  test('returns the state unchanged, and access_denied when the person declines', async () => {
    const demo = await startDemo();
    const { target } = await authorize(demo, { login: 'demo_viewer_01', decision: 'deny' });
    expect(target.origin + target.pathname).toBe(redirectURI);
    expect(Object.fromEntries(target.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The user denied you access',
      state: 'st"ate&<1>',
    });
  });

  test('accepts any login, including anonymous chatters’, and refuses unknown ones on the page', async () => {
    const demo = await startDemo();
    const [chatter] = demo.world.addChatters(demo.streamer.id, 1);
    const other = { login: 'demo_viewer_01', other_login: chatter?.login ?? '', decision: 'approve' };
    const { page, target } = await authorize(demo, other);
    expect(page).not.toContain(chatter?.login);
    const code = target.searchParams.get('code') ?? '';
    const answer = await token(demo, { grant_type: 'authorization_code', code, redirect_uri: redirectURI });
    expect((await validate(demo, answer.body.access_token)).body.user_id).toBe(chatter?.id);
    const unknown = await authorize(demo, { other_login: 'nobody', decision: 'approve' });
    expect([unknown.answer.status, unknown.answer.text.includes('No sandbox user has this login.')]).toEqual([
      400,
      true,
    ]);
  });

  test('accepts a code once and only with its own redirect URL and client', async () => {
    const demo = await startDemo();
    const fresh = async () =>
      (await authorize(demo, { login: 'demo_viewer_01', decision: 'approve' })).target.searchParams.get(
        'code',
      ) ?? '';
    const grant = { grant_type: 'authorization_code', redirect_uri: redirectURI };
    const code = await fresh();
    expect((await token(demo, { ...grant, code })).body).toMatchObject({
      scope: ['user:read:email'],
      token_type: 'bearer',
    });
    expect(await token(demo, { ...grant, code })).toMatchObject({
      status: 400,
      body: { status: 400, message: 'Invalid authorization code' },
    });
    const elsewhere = await token(demo, {
      ...grant,
      code: await fresh(),
      redirect_uri: 'http://localhost/x',
    });
    expect(elsewhere.status).toBe(400);
    const wrongSecret = await token(demo, { ...grant, code: await fresh(), client_secret: 'wrong' });
    expect(wrongSecret).toMatchObject({ status: 403, body: { message: 'invalid client secret' } });
  });

  test('does not read HTTP Basic, like Twitch', async () => {
    const demo = await startDemo();
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const answer = await post(
      `${demo.url}/auth/token`,
      { grant_type: 'client_credentials' },
      { authorization },
    );
    expect(answer).toMatchObject({ status: 400, body: { message: 'missing client id' } });
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/hosts', 'nothing', ''])(
    'refuses the redirect URL %j',
    async (address) => {
      const demo = await startDemo();
      const query = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: address,
      });
      const answer = await fetch(`${demo.url}/auth/authorize?${query}`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null]);
    },
  );
});

describe('tokens', () => {
  const grantFor = (demo: Demo) =>
    demo.world.tokens.issue({ clientId, userId: demo.viewer.id, scopes: ['chat:read'] });

  test('rotate on refresh: the old refresh token is invalid, the new one works', async () => {
    const demo = await startDemo();
    const { refreshUserToken } = await importAuth(demo);
    const first = grantFor(demo).refreshToken ?? '';
    const second = await refreshUserToken(clientId, clientSecret, first);
    expect(second).toMatchObject({ scope: ['chat:read'] });
    // Whole seconds of four hours that have just begun.
    expect(second.expiresIn).toBeLessThanOrEqual(14_400);
    expect(second.expiresIn).toBeGreaterThan(14_400 - 60);
    expect(second.refreshToken).not.toBe(first);
    await expect(refreshUserToken(clientId, clientSecret, first)).rejects.toMatchObject({ statusCode: 400 });
    const third = await refreshUserToken(clientId, clientSecret, second.refreshToken ?? '');
    expect((await validate(demo, third.accessToken)).body.user_id).toBe(demo.viewer.id);
  });

  test('expire on demand and can then be refreshed', async () => {
    const demo = await startDemo();
    const { refreshUserToken } = await importAuth(demo);
    const old = grantFor(demo);
    demo.world.expireTokens();
    expect((await validate(demo, old.accessToken)).status).toBe(401);
    const next = await refreshUserToken(clientId, clientSecret, old.refreshToken ?? '');
    expect((await validate(demo, next.accessToken)).status).toBe(200);
  });

  test('are deleted when the user disconnects the application', async () => {
    const demo = await startDemo();
    const old = grantFor(demo);
    demo.world.revokeAuthorization(demo.viewer.id);
    expect((await validate(demo, old.accessToken)).status).toBe(401);
    const refreshed = await token(demo, {
      grant_type: 'refresh_token',
      refresh_token: old.refreshToken ?? '',
    });
    expect(refreshed).toMatchObject({ status: 400, body: { message: 'Invalid refresh token' } });
  });

  test('can be revoked one by one by the application', async () => {
    const demo = await startDemo();
    const { revokeToken, getTokenInfo } = await importAuth(demo);
    const { accessToken } = grantFor(demo);
    expect((await getTokenInfo(accessToken, clientId)).userName).toBe('demo_viewer_01');
    await revokeToken(clientId, accessToken);
    await expect(getTokenInfo(accessToken, clientId)).rejects.toThrow('Invalid token');
    await expect(revokeToken(clientId, accessToken)).rejects.toMatchObject({ statusCode: 400 });
  });

  test('are issued to the application itself without a refresh token', async () => {
    const demo = await startDemo();
    const { getAppToken } = await importAuth(demo);
    const app = await getAppToken(clientId, clientSecret);
    expect(app.refreshToken).toBeNull();
    expect((await validate(demo, app.accessToken)).body).not.toHaveProperty('user_id');
  });

  const importAuth = async (demo: Demo) => {
    process.env.TWURPLE_MOCK_API_PORT = String(demo.port);
    return import('@twurple/auth');
  };
});

describe('the device code flow', () => {
  const begin = async (demo: Demo) => {
    const started = await post(`${demo.url}/auth/device`, {
      client_id: clientId,
      scopes: 'chat:read chat:edit',
    });
    const { device_code, user_code, verification_uri } = started.body;
    const poll = () =>
      post(`${demo.url}/auth/token`, {
        client_id: clientId,
        device_code: String(device_code),
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      });
    return { started, userCode: String(user_code), uri: String(verification_uri), poll };
  };

  test('waits for the person, then issues a token once', async () => {
    const demo = await startDemo();
    const { started, userCode, uri, poll } = await begin(demo);
    expect(started.body).toMatchObject({ interval: 1, expires_in: 1800 });
    expect(await poll()).toMatchObject({ status: 400, body: { message: 'authorization_pending' } });
    const page = await (await fetch(uri)).text();
    expect(page).toContain(userCode);
    expect(page).toContain('Send chat messages as you');
    const typed = `${userCode.slice(0, 4).toLowerCase()}-${userCode.slice(4)}`;
    const done = await post(`${demo.url}/activate`, {
      user_code: typed,
      login: 'keepsake_demo_bot',
      decision: 'approve',
    });
    expect(done.text).toContain('You are signed in as Keepsake_Demo_Bot');
    const granted = await poll();
    expect(granted.body).toMatchObject({ scope: ['chat:read', 'chat:edit'] });
    expect((await validate(demo, granted.body.access_token)).body.user_id).toBe(demo.bot.id);
    expect(await poll()).toMatchObject({ status: 400, body: { message: 'invalid device code' } });
  });

  test('ends when the person declines, and refuses wrong codes', async () => {
    const demo = await startDemo();
    const { userCode, poll } = await begin(demo);
    const wrong = await post(`${demo.url}/activate`, {
      user_code: 'AAAAAAAA',
      login: 'demo_viewer_01',
      decision: 'approve',
    });
    expect([wrong.status, wrong.text.includes('unknown, used or expired')]).toEqual([400, true]);
    await post(`${demo.url}/activate`, { user_code: userCode, decision: 'deny' });
    expect(await poll()).toMatchObject({ status: 400, body: { message: 'access_denied' } });
  });
});
