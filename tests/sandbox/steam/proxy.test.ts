import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from 'vitest';
import { failureOf } from './real-client.ts';
import { connect, logOnBot, serveWorld } from './stage.ts';

/** The proxy's answer to the first line of a connection. */
async function firstLine(proxyUrl: string, line: string) {
  const socket = net.connect(Number(new URL(proxyUrl).port), '127.0.0.1');
  socket.end(`${line}\r\nHost: sandbox\r\n\r\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return data.toString().split('\r\n')[0];
}

test('The proxy reaches nothing but the sandbox', async () => {
  const { steam, log } = await serveWorld();
  const failure = await failureOf(connect(steam.proxyUrl).get('https://store.steampowered.com/'));
  expect(failure.message).toContain('statusCode=403');
  expect(log).toContain('refused to connect to store.steampowered.com:443');
  const refused = 'HTTP/1.1 403 Forbidden';
  expect(await firstLine(steam.proxyUrl, 'CONNECT steamcommunity.com:80 HTTP/1.1')).toBe(refused);
  expect(await firstLine(steam.proxyUrl, 'CONNECT 127.0.0.1:443 HTTP/1.1')).toBe(refused);
  expect(await firstLine(steam.proxyUrl, 'GET http://example.com/ HTTP/1.1')).toBe('HTTP/1.1 404 Not Found');
});

test('Users who are not signed in are redirected to sign-in, and the Web API refuses them', async () => {
  const { steam } = await serveWorld();
  const client = connect(steam.proxyUrl);
  const page = await client.get('https://steamcommunity.com/tradeoffer/new/?partner=1&token=abcdefgh');
  expect(page).toMatchObject({ status: 302, headers: { location: expect.stringContaining('/login') } });
  const api = await client.get(
    'https://api.steampowered.com/IEconService/GetTradeOffers/v1/?access_token=a.b.c',
  );
  expect(api).toMatchObject({ status: 401, body: expect.stringContaining('Access is denied') });
});

test('A URL that is not simulated is not found, and logged', async () => {
  const { steam, log } = await serveWorld();
  const answer = await connect(steam.proxyUrl).get('https://steamcommunity.com/market/');
  expect(answer.status).toBe(404);
  expect(log).toContain('not simulated: GET steamcommunity.com/market/');
});

test('A form without the session id of its cookie changes nothing', async () => {
  const { world, client } = await logOnBot();
  const before = JSON.stringify(world);
  const post = (sessionid: string) =>
    new Promise<number>((resolve, reject) => {
      const community = client.community as unknown as {
        httpRequestPost(options: object, done: unknown): void;
      };
      const url = 'https://steamcommunity.com//trade/new/acknowledge';
      const done = (error: Error | null, response: { statusCode: number }) =>
        error ? reject(error) : resolve(response.statusCode);
      const options = { url, form: { sessionid, message: 1 }, json: true };
      community.httpRequestPost({ ...options, checkHttpError: false, checkJsonError: false }, done);
    });
  expect(await post('of-another-site')).toBe(400);
  expect(JSON.stringify(world)).toBe(before);
  expect(await post(client.community.getSessionID('http://steamcommunity.com'))).toBe(200);
});
