import './support/web.ts';
import { expect, test } from 'vitest';
import type { Endpoint } from '#app/api/endpoint.ts';
import { table } from '#app/api/table.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { sessionCookieName } from '#app/services/sign-in/session.server.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { newId } from '#domain/kernel/id.ts';
import { addBot, addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { admit } from '#tests/support/guests.ts';
import { preparedRaffleOf } from '../support/owner.ts';
import { App } from './support/app.ts';
import { claimable } from './support/claimable.ts';
import { holdToken, streamer, viewer } from './support/people.ts';

const api = '/api/v1';
const changing = table.filter(({ method }) => method !== 'GET');
const addressOf = ({ path }: Endpoint, id = newId(Date.now())) => path.replace('{id}', id);

test.each(changing.map((row) => [`${row.method} ${row.path}`, row] as const))(
  '%s is refused without the XSRF token of the same session',
  async (_, row) => {
    const { app } = await viewer();
    const other = await viewer();
    const path = addressOf(row);
    await other.app.get('/sanctum/csrf-cookie');
    const theirs = other.app.cookie('XSRF-TOKEN') ?? '';
    const refused = { status: 403, codes: ['csrfMismatch'] };
    expect(await app.send(row.method, path, { unproven: true })).toMatchObject(refused);
    // The cookie alone, which a browser sends with any request.
    await app.get('/sanctum/csrf-cookie');
    expect(await app.send(row.method, path, { unproven: true })).toMatchObject(refused);
    // A header that does not match the cookie, and a pair made for another session.
    const planted = { unproven: true, headers: { 'X-XSRF-TOKEN': theirs } };
    expect(await app.send(row.method, path, planted)).toMatchObject(refused);
    app.plant('XSRF-TOKEN', theirs);
    expect(await app.send(row.method, path, planted)).toMatchObject(refused);
  },
);

test.each([
  [{ 'Sec-Fetch-Site': 'cross-site' }],
  [{ 'Sec-Fetch-Site': 'same-site' }],
  [{ Origin: 'https://evil.example' }],
  [{ Origin: 'null' }],
])('A browser that sends %j is refused, whatever its token', async (headers) => {
  const { app } = await viewer();
  expect(await app.post(`${api}/logout`, { headers })).toMatchObject({
    status: 403,
    codes: ['csrfMismatch'],
  });
});

test('An XSRF token from before signing in is invalid afterwards', async () => {
  const { app } = await viewer();
  const guest = new App();
  await guest.get('/sanctum/csrf-cookie');
  const early = guest.cookie('XSRF-TOKEN') ?? '';
  app.plant('XSRF-TOKEN', early);
  const reply = await app.post(`${api}/logout`, { unproven: true, headers: { 'X-XSRF-TOKEN': early } });
  expect(reply.codes).toEqual(['csrfMismatch']);
});

test('A bearer token needs no XSRF token, and a cookie next to it adds no rights', async () => {
  const { app, userId } = await viewer();
  const program = await holdToken({ userId });
  const reply = await program.patch(`${api}/users`, { json: { name: 'By a program' } });
  expect(reply.body.data.attributes.name).toBe('By a program');
  const other = await viewer();
  program.plant(sessionCookieName(), other.app.cookie(sessionCookieName()) ?? '');
  expect((await program.get(`${api}/users`)).body.data.id).toBe(userId);
  expect(app.cookie('XSRF-TOKEN')).toBeUndefined();
});

test.each(
  table.filter(({ access }) => access !== 'anyone').map((row) => [`${row.method} ${row.path}`, row] as const),
)('%s requires signing in, and verification where documented', async (_, row) => {
  const guest = new App();
  expect(await guest.send(row.method, addressOf(row))).toMatchObject({
    status: 401,
    codes: ['unauthorized'],
  });
  if (row.access !== 'verified') return;
  const { app } = await viewer({ verified: false });
  expect(await app.send(row.method, addressOf(row))).toMatchObject({ status: 403, codes: ['unverified'] });
});

const demoCase = kindKey({ appId: 730, marketHashName: 'Demo case' });

test('Another user’s ids get the same answer as unknown ids, for every call with an id', async () => {
  const owner = await streamer();
  await addBot(owner.db);
  const ruleId = await addRule(owner.db, owner, { rewards: 1 });
  const transferId = await deposit(owner.db, owner, [asset()], START_MS);
  const { rewardId } = await claimable(owner.db, owner);
  const stranger = await streamer();
  const items = [{ kind_id: demoCase, quantity: 1 }];
  const guest = await streamer();
  await admit(owner.db, owner, guest);
  const ids: Record<string, string> = {
    rules: ruleId,
    transfers: transferId,
    rewards: rewardId,
    'given-rewards': rewardId,
    'channel-guests': guest.userId,
    raffles: await preparedRaffleOf(owner, { appId: 730, marketHashName: 'Demo case' }),
  };
  const weights = [{ kind_id: demoCase, weight: 2 }];
  const named = table.filter(({ path }) => path.includes('{id}'));
  // Proofs are public by design: a draw that only its streamer can check proves nothing.
  const open = named.filter(({ access }) => access === 'anyone');
  expect(open.map(({ name }) => name)).toEqual(['getProof', 'listDraws', 'listRaffleEntries']);
  const taking = named.filter((row) => !open.includes(row));
  expect(taking.length).toBeGreaterThanOrEqual(7);
  for (const row of taking)
    for (const id of [ids[row.path.split('/')[3] ?? ''], newId(START_MS), 'nonsense', "' or 1=1 --"]) {
      expect(id).toBeDefined();
      const path = addressOf(row, encodeURIComponent(id ?? ''));
      const bodies: Record<string, object> = {
        setWeights: { weights },
        stopClaim: { reason: 'mistake' },
        pauseRule: {},
        startRaffle: { minutes: 5 },
        previewCorrection: { name: 'Another name' },
        correctRule: { name: 'Another name', mode: 'correct', newly: 0, leaving: 0 },
      };
      const json = bodies[row.name] ?? { items };
      const reply = await stranger.app.send(row.method, path, row.body ? { json } : {});
      expect([row.name, id, reply.status, reply.codes]).toEqual([row.name, id, 404, ['notFound']]);
    }
  const claim = await stranger.app.post(`${api}/claims`, { json: { reward_id: rewardId } });
  expect(claim).toMatchObject({ status: 404, codes: ['notFound'] });
  const own = await owner.app.get(`${api}/rules/${ruleId}`);
  expect(own.body.data.attributes).toMatchObject({ state: 'open', pool: { free: 1 } });
});

test('An idempotency key equal to another user’s rule id returns nothing of theirs', async () => {
  const owner = await streamer();
  const stranger = await streamer();
  const key = newId(Date.now());
  const json = { name: 'Demo rule', watch_minutes: 60 };
  const headers = { 'Idempotency-Key': key };
  const first = await owner.app.post(`${api}/rules`, { json, headers });
  expect([first.status, first.body.data.id]).toEqual([201, key]);
  const refused = await stranger.app.post(`${api}/rules`, { json, headers });
  expect(refused).toMatchObject({ status: 422, codes: ['requestUsed'] });
  const again = await owner.app.post(`${api}/rules`, { json, headers });
  expect([again.status, again.body.data.id]).toEqual([201, key]);
});

test.each(['not-an-id', 'b6a9a3c4-3f0e-4c26-9df2-0c5a4b0c8f57', newId(Date.now() - 40 * 86_400_000)])(
  'An idempotency key like %s is refused',
  async (key) => {
    const { app } = await streamer();
    const json = { name: 'Demo rule', watch_minutes: 60 };
    const reply = await app.post(`${api}/rules`, { json, headers: { 'Idempotency-Key': key } });
    expect(reply).toMatchObject({ status: 400, codes: ['badRequestId'] });
  },
);

test.each(
  changing.filter(({ body }) => body !== null).map((row) => [`${row.method} ${row.path}`, row] as const),
)('%s accepts no undocumented fields', async (_, row) => {
  const { app } = await streamer();
  const smuggled = { id: newId(START_MS), user_id: 'x', verified: true, emailVerifiedAtMs: 1, __proto__x: 1 };
  const reply = await app.send(row.method, addressOf(row), { json: smuggled });
  expect(reply.status).toBe(422);
  expect(reply.codes.filter((code) => code === 'unknownField')).toHaveLength(5);
});

test('A body with hundreds of faults is answered with the first twenty', async () => {
  const { app } = await streamer();
  const json = Object.fromEntries(Array.from({ length: 300 }, (_, place) => [`field_${place}`, 1]));
  const reply = await app.patch(`${api}/users`, { json });
  expect(reply.status).toBe(422);
  expect(reply.body.errors).toHaveLength(20);
});

test('Fields that nobody may set stay unchanged', async () => {
  const { app, db, userId } = await viewer();
  const before = await getAccount(db, { userId });
  const sent = { name: 'New', verified: true, steamAccount: null, settings: { language: 'ru', admin: true } };
  const reply = await app.patch(`${api}/users`, { json: sent });
  expect(reply.body.errors.map((error: { source: object }) => error.source)).toEqual(
    expect.arrayContaining([{ pointer: '/settings/admin' }, { pointer: '/verified' }]),
  );
  expect(await getAccount(db, { userId })).toEqual(before);
});

test('A name that is a script is returned as text, with a content type that no browser executes', async () => {
  const { app } = await viewer();
  const name = '<script>alert(1)</script>';
  const reply = await app.patch(`${api}/users`, { json: { name } });
  expect(reply.body.data.attributes.name).toBe(name);
  expect(reply.headers.get('Content-Type')).toBe('application/vnd.api+json');
  expect(reply.headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(reply.headers.get('Cache-Control')).toBe('no-store');
});
