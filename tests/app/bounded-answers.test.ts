import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createTurnstile } from '#app/services/captcha/turnstile.server.ts';
import { MAX_ANSWER_BYTES, readBoundedJson, readBoundedText } from '#app/services/sign-in/bounded-answer.ts';
import { verifySteamAnswer } from '#app/services/sign-in/steam-open-id.server.ts';
import { KEEP_ALIVE_MS } from '#tests/support/patience.ts';
import { setWeb } from './support/web.ts';

/** The beginning of this server's answer, which then goes on without end as long as it is read. */
let start = '';
let sentBytes = 0;
const endless = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write(start);
  sentBytes = 0;
  const goOn = (to: ServerResponse) => {
    if (to.destroyed || sentBytes > 40 * MAX_ANSWER_BYTES) return void to.end();
    sentBytes += MAX_ANSWER_BYTES;
    if (to.write(' '.repeat(MAX_ANSWER_BYTES))) setImmediate(goOn, to);
    else to.once('drain', () => goOn(to));
  };
  goOn(response);
});
await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
const url = new URL(`http://127.0.0.1:${(endless.address() as AddressInfo).port}/`);
afterAll(() => {
  endless.closeAllConnections();
  endless.close();
});
await setWeb();

test('A body is read up to its limit and no further', async () => {
  const text = 'x'.repeat(MAX_ANSWER_BYTES);
  expect(await readBoundedText(new Response(text))).toBe(text);
  expect(await readBoundedText(new Response(`${text}x`))).toBeNull();
  expect(await readBoundedJson(Response.json({ a: 1 }))).toEqual({ a: 1 });
  expect(await readBoundedJson(new Response('no json'))).toBeNull();
  expect(await readBoundedJson(new Response(null))).toBeNull();
});

test('A captcha that is confirmed without end is not solved', async () => {
  start = '{"success":true}';
  const turnstile = createTurnstile({ siteKey: 'site', secret: 'secret', verifyUrl: url });
  expect(await turnstile.check('right')).toBeNull();
});

test("Steam's sign-in confirmed without end is not confirmed", async () => {
  start = 'ns:http://specs.openid.net/auth/2.0\nis_valid:true\n';
  const returnTo = 'http://localhost:3000/steam/callback?state=1';
  const steamId = '76561197960287930';
  const id = `https://steamcommunity.com/openid/id/${steamId}`;
  const nonce = `${new Date().toISOString().slice(0, 19)}Zabc`;
  const answer = new URL(returnTo);
  const fields = {
    ns: 'http://specs.openid.net/auth/2.0',
    mode: 'id_res',
    op_endpoint: 'https://steamcommunity.com/openid/login',
    claimed_id: id,
    identity: id,
    return_to: returnTo,
    response_nonce: nonce,
    assoc_handle: '1',
    signed: 'signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle',
    sig: 'sig',
  };
  for (const [name, value] of Object.entries(fields)) answer.searchParams.set(`openid.${name}`, value);
  const check = { endpoint: url, returnTo, nowMs: Date.now(), spendNonce: async () => true };
  expect(await verifySteamAnswer(answer, check)).toEqual({ ok: false, code: 'unavailable' });
});
