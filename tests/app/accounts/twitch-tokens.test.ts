import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { TwitchAnswerError, TwitchStrategy } from '#app/services/sign-in/twitch-strategy.server.ts';

const granted = {
  access_token: 'access',
  refresh_token: 'refresh',
  expires_in: 3600,
  scope: ['user:read:email', 'user:read:follows'],
  token_type: 'bearer',
};

/** The result of a sign-in after this answer of the token endpoint. */
async function signInWith(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const strategy = new TwitchStrategy(
    {
      clientId: 'demo-client',
      clientSecret: 'demo-secret',
      redirectUri: 'http://localhost:3000/auth/twitch/callback',
      scopes: [],
      authUrl: origin,
      state: 'viewer',
      cookie: { name: 'twitch', path: '/', secure: false },
    },
    async ({ tokens }) => tokens,
  );
  const request = new Request('http://localhost:3000/auth/twitch/callback?code=abc&state=s', {
    headers: { Cookie: 'twitch:s=1' },
  });
  try {
    return await strategy.authenticate(request);
  } catch (error) {
    return error;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const json =
  (body: object, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };

test('Tokens are taken from an answer as Twitch writes it', async () => {
  expect(await signInWith(json(granted))).toEqual({
    accessToken: 'access',
    refreshToken: 'refresh',
    scopes: ['user:read:email', 'user:read:follows'],
    lifetimeSeconds: 3600,
  });
});

test.each<[string, (response: ServerResponse) => void]>([
  ['a kind of token that nobody asked for', json({ ...granted, token_type: 'mac' })],
  ['no refresh token', json({ ...granted, refresh_token: undefined })],
  ['a refusal', json({ status: 400, message: 'Invalid authorization code' }, 400)],
  ['no JSON', (response) => void response.end('<html>')],
  ['more than 64 KiB', json({ ...granted, more: 'x'.repeat(64 * 1024) })],
])('%s is an answer that cannot be used', async (_, answer) => {
  expect(await signInWith(answer)).toBeInstanceOf(TwitchAnswerError);
});

test('An answer without an end is left after 64 KiB', async () => {
  let sent = 0;
  const endless = (response: ServerResponse) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16 * 1024))) sent += 16 * 1024;
    };
    response.on('drain', more);
    more();
  };
  expect(await signInWith(endless)).toBeInstanceOf(TwitchAnswerError);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});
