import './support/web.ts';
import { beforeAll, expect, test } from 'vitest';
import { extensionCodeOf } from '#tests/domain/account/people.ts';
import { addBot, asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { App, serve } from './support/app.ts';
import { claimable } from './support/claimable.ts';
import { holdToken, type Signed, signIn, streamer, viewer } from './support/people.ts';

const path = '/api/v1/open-offers';
const extension = { Origin: 'chrome-extension://abcdefghijklmnopabcdefghijklmnop' };
let owner: Signed;
let botId: string;

beforeAll(async () => {
  owner = await streamer();
  botId = await addBot(owner.db);
});

test('Only offers that wait on Steam for the caller are listed, with what their pages have to show', async () => {
  await deposit(owner.db, owner, [asset('Open case')], START_MS);
  const winner = await claimable(owner.db, owner);
  await winner.app.post('/api/v1/claims', { json: { reward_id: winner.rewardId } });
  // Queued: nothing of it is on Steam yet.
  expect((await winner.app.get(path)).body.data).toEqual([]);
  const sent = await sendQueued(owner.db, Date.now());
  const { body } = await winner.app.get(path);
  const [offer] = body.data;
  const { attributes } = (await winner.app.get(`/api/v1/transfers/${offer.id}`)).body.data;
  expect(body.data).toHaveLength(1);
  expect(offer.attributes).toMatchObject({
    kind: 'claim',
    trade_offer_id: sent.find(({ id }) => id === offer.id)?.offerId,
    security_code: attributes.security_code,
    bot: { name: botId },
    partner_steam_id: winner.steamId,
    channel_name: expect.any(String),
    items: [{ app_id: 730, asset_id: expect.stringMatching(/^\d+$/), amount: 1 }],
  });
  expect(body.meta).toMatchObject({ steam_id: winner.steamId, bots: [{ name: botId }] });
  // The owner of the rule sees the claim among the transfers, and neither its code nor its items here.
  expect((await owner.app.get(path)).body.data).toEqual([]);
  expect((await (await viewer()).app.get(path)).body.data).toEqual([]);
});

test('An extension may read what a token shows it, and no other origin may', async () => {
  const person = await viewer();
  const program = await holdToken(person);
  const { status, headers } = await program.get(path, { headers: extension });
  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([200, extension.Origin]);
  expect(headers.get('Access-Control-Allow-Credentials')).toBeNull();
  expect(headers.get('Vary')).toContain('Origin');
  for (const Origin of ['https://evil.example', 'null', 'https://chrome-extension.example']) {
    const reply = await program.get(path, { headers: { Origin } });
    expect(reply.headers.get('Access-Control-Allow-Origin')).toBeNull();
  }
  const question = new Request(`http://localhost:3000${path}`, { method: 'OPTIONS', headers: extension });
  const asked = await serve(question, '10.8.0.1');
  expect([asked.status, asked.headers.get('Access-Control-Allow-Methods')]).toEqual([204, 'GET']);
  expect(asked.headers.get('Access-Control-Allow-Headers')).toContain('Authorization');
});

test('A refusal can be read as well: the extension says why it has no answer', async () => {
  const program = new App();
  program.token = 'revoked';
  const { status, headers } = await program.get(path, { headers: extension });
  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([401, extension.Origin]);
});

test('An extension exchanges a code without cookies; with those of a session it is refused like any other site', async () => {
  const { db, userId } = owner;
  const call = async () => ({
    json: { code: (await extensionCodeOf(db, userId)).code, device: 'Demo browser' },
    headers: extension,
    unproven: true,
  });
  const issued = await new App().post('/api/v1/extension/token', await call());
  expect([issued.status, issued.headers.getSetCookie()]).toEqual([201, []]);
  const signedIn = await signIn(owner);
  expect((await signedIn.post('/api/v1/extension/token', await call())).codes).toEqual(['csrfMismatch']);
  const page = { ...(await call()), headers: { Origin: 'https://evil.example' } };
  expect((await new App().post('/api/v1/extension/token', page)).codes).toEqual(['csrfMismatch']);
});
