import './support/web.ts';
import { beforeAll, expect, test } from 'vitest';
import { kindKey } from '#app/services/items/picks.server.ts';
import { vault } from '#app/services/vault.server.ts';
import { registerUser } from '#domain/account/register-user.ts';
import { linkTwitch } from '#domain/account/twitch/link-twitch.ts';
import { verifyEmail } from '#domain/account/verify-email.ts';
import { hashPassword } from '#domain/identity/password/hash-password.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import {
  acceptOffer,
  addBot,
  addRule,
  asset,
  deposit,
  START_MS,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { listTransferAssets, mailedTokens } from './support/assets.ts';
import { claimable } from './support/claimable.ts';
import { type Signed, signIn, streamer, viewer } from './support/people.ts';

const api = '/api/v1';
const kind = (name: string, quantity = 1) => ({
  kind_id: kindKey({ appId: 730, marketHashName: name }),
  quantity,
});
let owner: Signed;

beforeAll(async () => {
  owner = await streamer();
  await addBot(owner.db);
});

const total = async (app = owner.app) => (await app.get(`${api}/items`)).body.meta.totals;

test('Rewards are added and removed by kind, once per idempotency key', async () => {
  await deposit(owner.db, owner, [asset('Gamma case'), asset('Gamma case')], START_MS);
  const ruleId = await addRule(owner.db, owner, { rewards: 0 });
  const path = `${api}/rules/${ruleId}/rewards`;
  const attributes = { items: [kind('Gamma case')] };
  const document = { data: { type: 'rule-rewards', attributes } };
  const headers = { 'Idempotency-Key': newId(Date.now()) };
  for (let sent = 0; sent < 2; sent++) {
    const { body } = await owner.app.post(path, { document, headers });
    expect(body.data.attributes.pool.free).toBe(1);
  }
  const removed = await owner.app.delete(path, { json: attributes });
  expect(removed.body.meta.message).toBe('Rewards removed from rule');
  expect(removed.body.data.attributes.pool).toMatchObject({ free: 0, recalled: 1 });
  expect((await owner.app.delete(path, { json: attributes })).codes).toEqual(['notEnough']);
  expect((await owner.app.delete(path, { json: { items: [] } })).codes).toEqual(['nothingPicked']);
});

test('A stack is listed with its amount, as one item of a kind of its own', async () => {
  const stack = {
    typeTag: 'item_class_7',
    appId: 753,
    marketHashName: '753-Gems',
    name: 'Gems × 500',
    traits: '× 500',
  };
  await deposit(owner.db, owner, [asset('753-Gems', { ...stack, amount: 500 })], START_MS);
  const { body } = await owner.app.get(`${api}/items?filter[name]=753-Gems`);
  expect(body.data).toMatchObject([
    {
      attributes: {
        name: 'Gems × 500',
        market_hash_name: '753-Gems',
        traits: ['× 500'],
        amount: 500,
        total: 1,
      },
    },
  ]);
});

test('A piece that differs in wear is listed by itself, put on a rule and returned by its wear', async () => {
  const worn = ['0.31', '0.2', '0.25'].map((wear) => asset('Worn rifle', { wear }));
  await deposit(owner.db, owner, worn, START_MS);
  const pieces = async () =>
    (await owner.app.get(`${api}/item-pieces`)).body.data.map(
      ({ attributes }: { attributes: { wear: string } }) => attributes.wear,
    );
  expect(await pieces()).toEqual(['0.2', '0.25', '0.31']);
  const { body: first } = await owner.app.get(`${api}/item-pieces?page[size]=2`);
  const { body: last } = await owner.app.get(first.links.next);
  const wearsOf = ({ data }: typeof first) =>
    data.map(({ attributes }: { attributes: { wear: string } }) => attributes.wear);
  expect([wearsOf(first), wearsOf(last), last.links.next]).toEqual([['0.2', '0.25'], ['0.31'], null]);
  const ruleId = await addRule(owner.db, owner, { rewards: 0 });
  const path = `${api}/rules/${ruleId}/rewards`;
  const exact = (wear: string) => ({ json: { items: [{ ...kind('Worn rifle'), wear }] } });
  expect((await owner.app.post(path, exact('0.25'))).status).toBe(200);
  expect((await owner.app.post(path, exact('0.25'))).codes).toEqual(['notEnough']);
  expect(await pieces()).toEqual(['0.2', '0.31']);
  expect((await owner.app.post(`${api}/items/return`, exact('0.31'))).status).toBe(202);
  expect(await pieces()).toEqual(['0.2']);
  expect((await owner.app.delete(path, exact('0.25'))).status).toBe(422);
});

test('A piece that no wear tells apart is picked with what its listing says', async () => {
  await deposit(owner.db, owner, [asset('Plain case')], START_MS);
  const listed = (await owner.app.get(`${api}/items`)).body.data.find(
    ({ attributes }: { attributes: { name: string } }) => attributes.name === 'Plain case',
  );
  const { wear } = listed.attributes;
  const json = { items: [{ ...kind('Plain case'), wear }] };
  expect([wear, (await owner.app.post(`${api}/items/return`, { json })).status]).toEqual(['', 202]);
});

test('Items are returned once per idempotency key, and a transfer can be cancelled while it waits', async () => {
  await deposit(owner.db, owner, [asset('Delta case'), asset('Delta case')], START_MS);
  const before = await total();
  const headers = { 'Idempotency-Key': newId(Date.now()) };
  const json = { items: [kind('Delta case')] };
  const first = await owner.app.post(`${api}/items/return`, { json, headers });
  expect([first.status, first.body.data[0].attributes.kind]).toEqual([202, 'return']);
  expect(first.body.included[0].attributes).toMatchObject({ market_hash_name: 'Delta case', quantity: 1 });
  const again = await owner.app.post(`${api}/items/return`, { json, headers });
  expect(again.body.data[0].id).toBe(first.body.data[0].id);
  expect((await total()).moving).toBe(before.moving + 1);
  const cancel = `${api}/transfers/${first.body.data[0].id}/cancel`;
  for (let sent = 0; sent < 2; sent++)
    expect((await owner.app.post(cancel)).body.data.attributes.state).toBe('cancelled');
  expect(await total()).toEqual(before);
  expect((await owner.app.post(`${api}/items/return`, { json: { items: [kind('Nothing')] } })).codes).toEqual(
    ['itemUnavailable'],
  );
});

test('A refusal names the item in cooldown, and when enough of it unlock', async () => {
  const nowMs = Date.now();
  await deposit(owner.db, owner, [asset('Locked case'), asset('Locked case')], nowMs);
  const json = { items: [{ ...kind('Locked case'), quantity: 2 }] };
  const until = new Date(nowMs + 7 * day).toISOString();
  const ruleId = await addRule(owner.db, owner, { rewards: 0 });
  for (const path of ['items/return', `rules/${ruleId}/rewards`]) {
    const { body } = await owner.app.post(`${api}/${path}`, { json });
    expect(body.errors[0]).toMatchObject({ source: { pointer: '/items' } });
    expect(body.errors[0].detail).toContain(`Locked case is in cooldown until ${until}.`);
  }
  const more = { items: [{ ...kind('Locked case'), quantity: 3 }] };
  const { body } = await owner.app.post(`${api}/items/return`, { json: more });
  expect(body.errors[0].detail).not.toContain('cooldown');
});

test('A refused choice names the valid values', async () => {
  const json = { name: 'Demo', subscriber_tier: 1000 };
  const { body } = await owner.app.post(`${api}/rules`, { json });
  expect(body.errors[0]).toMatchObject({ code: 'choice', detail: 'Valid values: 1, 2, 3.' });
});

test('An accepted transfer cannot be cancelled, nor can another viewer’s claim', async () => {
  const accepted = await deposit(owner.db, owner, [asset('Epsilon case')], START_MS);
  expect((await owner.app.post(`${api}/transfers/${accepted}/cancel`)).codes).toEqual(['tooLate']);
  const { app, rewardId } = await claimable(owner.db, owner);
  const claimed = await app.post(`${api}/claims`, { json: { reward_id: rewardId } });
  const { transfer_id: id } = claimed.body.data.attributes.offer;
  expect((await owner.app.get(`${api}/transfers/${id}`)).body.data.attributes.own).toBe(false);
  expect((await owner.app.post(`${api}/transfers/${id}/cancel`)).codes).toEqual(['notFound']);
  expect((await app.post(`${api}/transfers/${id}/cancel`)).body.data.attributes.state).toBe('cancelled');
});

test('The owner of a rule stops a claim with a reason that its viewer reads', async () => {
  const { app, rewardId } = await claimable(owner.db, owner);
  const stop = (reason: string, by = owner.app) =>
    by.post(`${api}/given-rewards/${rewardId}/stop`, { json: { reason } });
  expect((await stop('mistake', app)).codes).toEqual(['notFound']);
  expect(await stop('whim')).toMatchObject({ status: 422 });
  await app.post(`${api}/claims`, { json: { reward_id: rewardId } });
  const nowMs = Date.now();
  await sendQueued(owner.db, nowMs);
  const asked = await stop('ruleAbused');
  expect(asked).toMatchObject({ status: 202 });
  expect(asked.body.data.attributes).toMatchObject({ status: 'offerSent', stop_reason: 'ruleAbused' });
  expect((await app.get(`${api}/rewards/${rewardId}`)).body.data.attributes.stop_reason).toBe('ruleAbused');
  const { transfer_id: id } = asked.body.data.attributes;
  await reportTransfer(owner.db, id, { event: 'cancelled' }, nowMs);
  expect((await stop('mistake')).body.data.attributes).toMatchObject({
    status: 'stopped',
    stop_reason: 'ruleAbused',
  });
  const past = await app.get(`${api}/rewards/${rewardId}`);
  expect(past.body.data.attributes).toMatchObject({ recall_reason: 'stopped', stop_reason: 'ruleAbused' });
});

test('Claiming twice returns the same result; claiming a claimed reward is refused', async () => {
  const { app, rewardId } = await claimable(owner.db, owner);
  const { db } = owner;
  const document = { data: { type: 'claims', attributes: { reward_id: rewardId } } };
  const [first, second] = [
    await app.post(`${api}/claims`, { document }),
    await app.post(`${api}/claims`, { document }),
  ];
  expect(second.body).toEqual(first.body);
  const nowMs = Date.now();
  const sent = await sendQueued(db, nowMs);
  const id = first.body.data.attributes.offer.transfer_id;
  expect(sent.map((each) => each.id)).toContain(id);
  const { body } = await app.get(`${api}/transfers/${id}`);
  expect(body.data.attributes.security_code).toMatch(/^\w{4}-\w{4}$/);
  await acceptOffer(db, id, await listTransferAssets(db, id), nowMs);
  expect((await app.post(`${api}/claims`, { document })).codes).toEqual(['alreadyClaimed']);
});

test('Without a trade link a claim is refused, with the reason', async () => {
  const { app, rewardId } = await claimable(owner.db, owner, { tradeToken: null });
  const reply = await app.post(`${api}/claims`, { json: { reward_id: rewardId } });
  expect(reply).toMatchObject({ status: 409, codes: ['tradeLinkMissing'] });
  expect(reply.body.errors[0].detail).toBe(
    'You have not provided your trade link. Please set your trade link in your profile.',
  );
});

test.each([
  [{ name: 'Demo' }, 422, 'noCondition'],
  [{ name: 'Demo', watch_minutes: 1.5 }, 422, 'range'],
  [{ name: 'Demo', follow_days: 4000 }, 422, 'range'],
  [{ name: 'Demo', attended_streams: 51 }, 422, 'range'],
  [{ name: 'Demo', of_last_streams: 5 }, 422, 'noCondition'],
  [{ name: 'Demo', attended_streams: 8, of_last_streams: 7 }, 422, 'lastStreamsTooFew'],
  [{ name: 'Demo', follow_days: 1, of_last_streams: 7 }, 422, 'lastStreamsTooFew'],
  [{ name: 'Demo', follow_days: 1, watch_scope: 'never' }, 422, 'choice'],
  [{ name: 'Demo', points_cost: -1 }, 422, 'range'],
  [{ name: 'Demo', points_cost: 2_000_001 }, 422, 'range'],
  [{ name: 'Demo', points_cost: '500' }, 422, 'range'],
  [{ name: 'Demo', subscriber_tier: 4 }, 422, 'choice'],
  [{ name: 'Demo', subscriber_tier: 1, rule_type: 'all' }, 422, 'choice'],
  [{ name: 'Demo', subscriber_tier: 1, rule_type: 'random' }, 409, 'paidDraw'],
  [{ name: 'Demo', points_cost: 500, rule_type: 'random' }, 409, 'paidDraw'],
  [{ name: 'Demo', follow_days: 1, channel_id: '-1' }, 422, 'invalid'],
  [{ name: 'Demo', follow_days: 1, channel_id: '1' }, 409, 'notAdmitted'],
])('A rule with %j is refused', async (json, status, code) => {
  expect(await owner.app.post(`${api}/rules`, { json })).toMatchObject({ status, codes: [code] });
});

test.each([
  ['watch_minutes', -3, /^Enter a number from 1 to \d+\.$/],
  ['attended_streams', 51, /^Enter a number from 1 to 50\.$/],
  ['of_last_streams', 0, /^Enter a number from 1 to 50\.$/],
  ['follow_days', 0.5, /^Enter a number from 1 to \d+\.$/],
  ['points_cost', 'many', /^Enter a number from 1 to \d+\.$/],
  ['claim_timeout_hours', 337, /^Enter a number from 1 to 336\.$/],
  ['items', [{ ...kind('Demo case'), quantity: 0 }], /^Enter a number from 1 to 5000\.$/],
  ['items', [{ ...kind('Demo case'), weight: 1e9 }], /^Enter a number from 1 to \d+\.$/],
])('A refusal of %s %j names the numbers that are valid', async (field, value, words) => {
  const json = { name: 'Demo', follow_days: 1, [field]: value };
  const { status, codes, body } = await owner.app.post(`${api}/rules`, { json });
  expect({ status, codes }).toEqual({ status: 422, codes: ['range'] });
  expect(body.errors[0].detail).toMatch(words);
});

test('A refusal of a page’s size names the sizes that are valid', async () => {
  const { status, codes, body } = await owner.app.get(`${api}/rules?page[size]=101`);
  expect({ status, codes }).toEqual({ status: 400, codes: ['badParameter'] });
  expect(body.errors[0].detail).toBe('Enter a number from 1 to 100.');
});

test('A rule can require a tier and points, and states its channel', async () => {
  const json = { name: 'Demo', subscriber_tier: 3, points_cost: 500 };
  const { status, body } = await owner.app.post(`${api}/rules`, { json });
  expect(status).toBe(201);
  expect(body.data.attributes).toMatchObject({ ...json, rule_type: 'one', channel_id: owner.twitchId });
});

test('A rule can ask for streams, any or so many in a row', async () => {
  for (const asked of [
    { attended_streams: 8, of_last_streams: null },
    { attended_streams: 3, of_last_streams: 5 },
  ]) {
    const { status, body } = await owner.app.post(`${api}/rules`, { json: { name: 'Demo', ...asked } });
    expect(status).toBe(201);
    expect(body.data.attributes).toMatchObject({ ...asked, watch_minutes: null });
  }
  const { body } = await owner.app.post(`${api}/rules/dry-run`, {
    json: { name: 'Demo', attended_streams: 8, follow_days: 1 },
  });
  expect(body.data.attributes).toMatchObject({ streams_too: true, points_too: false });
});

test('A user who may not create rules learns what is missing', async () => {
  const { app } = await viewer();
  const reply = await app.post(`${api}/rules`, { json: { name: 'Demo', follow_days: 1 } });
  expect(reply).toMatchObject({ status: 409, codes: ['twitchPermissionsMissing'] });
  const { app: other } = await viewer({ steam: false });
  expect((await other.get(`${api}/inventory`)).codes).toEqual(['steamNotLinked']);
});

test('While the bot does not answer, inventories are unavailable and deposits are refused', async () => {
  expect(await owner.app.get(`${api}/inventory`)).toMatchObject({
    status: 503,
    codes: ['botSilent'],
  });
  const reply = await owner.app.post(`${api}/items/deposit`, { json: { items: [kind('Demo case')] } });
  expect(reply).toMatchObject({ status: 503, codes: ['botSilent'] });
});

test('A user with a password can disconnect Twitch', async () => {
  const nowMs = Date.now() - day;
  const email = 'twitch-leaver@example.org';
  const passwordHash = await hashPassword('a short sentence');
  const person = { name: 'Demo', email, passwordHash, locale: 'en' as const };
  const made = await registerUser(owner.db, person, nowMs);
  if (!made.ok) throw new Error(made.code);
  const [token = ''] = await mailedTokens(owner.db, email);
  await verifyEmail(owner.db, { token }, nowMs);
  await linkTwitch(
    owner.db,
    {
      vault: vault(),
      userId: made.userId,
      person: { twitchId: '99001', login: 'demo', displayName: 'Demo', pictureUrl: '', email: null },
      grant: { accessToken: 'a', refreshToken: 'r', scopes: [], obtainedAtMs: nowMs, lifetimeSeconds: 60 },
    },
    nowMs,
  );
  const app = await signIn(made);
  const reply = await app.post(`${api}/users/logout_twitch`);
  expect(reply.body.data.relationships.twitchAccount.data).toBeNull();
  expect(reply.body.meta).toEqual({ custom_rewards_off: true });
  expect((await app.get(`${api}/users/accounts`)).body.data).toEqual([]);
});
