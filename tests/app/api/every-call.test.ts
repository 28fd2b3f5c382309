import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Endpoint } from '#app/api/endpoint.ts';
import { asset } from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { startFakeTwitch } from '../support/fake-twitch.ts';
import { idIn, type Owner, ownerOfAll } from '../support/owner.ts';
import { changes, stored } from '../support/stored.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
const twitch = await startFakeTwitch();
await setWeb({
  BOT_URL: bot.url,
  ...twitch.environment,
});
afterAll(() => bot.stop());

// Some modules read the configuration when they are loaded, so they are imported after it is set.
const { table } = await import('#app/api/table.server.ts');
const { serve } = await import('./support/app.ts');
const { contract, holdToContract } = await import('./support/own-contract.ts');
const { honestCalls, sellingCalls } = await import('./support/honest-calls.ts');
const { signIn } = await import('./support/people.ts');

let victim: Owner;
beforeAll(async () => {
  victim = await ownerOfAll();
});

/** The document's operations, by name. */
const operations = Object.values<Record<string, { operationId: string }>>(contract().document.paths)
  .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  .sort();
const rowOf = (name: string): Endpoint => {
  const row = table.find((each) => each.name === name);
  if (!row) throw new Error(`${name} is in the document and not in the table`);
  return row;
};

/** Prepares an owner with the subject of the call, and the call's arguments. */
async function prepare(row: Endpoint) {
  const owner = await ownerOfAll();
  bot.inventories.set(owner.steamId, [{ ...asset(owner.kind.marketHashName), tradable: true }]);
  const honest = honestCalls[row.name];
  if (!honest) throw new Error(`nobody has written down how ${row.name} is called`);
  const { json, by = await signIn(owner) } = await honest(owner);
  const path = row.path.replace('{id}', idIn(row.path, owner)).replace('{login}', owner.login);
  return { app: by, path, json };
}

test('Every call in the tests is one in the document', () => {
  expect(Object.keys(honestCalls).sort()).toEqual(operations);
});

const here = operations.filter((name) => !sellingCalls.includes(name));
const answering = here.filter((name) => rowOf(name).answers.data !== 'events');

test.each(answering)('%s is answered as documented', async (name) => {
  const row = rowOf(name);
  const { app, path, json } = await prepare(row);
  // The app checks every answer against the document.
  const reply = await app.send(row.method, path, json ? { json } : {});
  expect([reply.status, reply.codes]).toEqual([row.answers.status, []]);
  if (row.answers.data === 'many') expect(reply.body.data).not.toEqual([]);
  if (row.answers.data === 'one') expect(reply.body.data).toMatchObject({ type: row.answers.of[0]?.type });
});

test.each(here.filter((name) => !answering.includes(name)))(
  '%s is answered with a stream, as documented',
  async (name) => {
    const row = rowOf(name);
    const { app, path } = await prepare(row);
    const stop = new AbortController();
    const headers = { Cookie: app.cookies(), Accept: 'text/event-stream' };
    const request = new Request(`http://localhost:3000${path}`, { headers, signal: stop.signal });
    const { status, headers: sent, body } = await serve(request, app.address);
    const contentType = sent.get('Content-Type');
    holdToContract({ method: row.method, path, query: new URLSearchParams(), status, contentType, text: '' });
    expect(status).toBe(200);
    stop.abort();
    await body?.cancel();
  },
);

/** Names of columns, with harmful values. */
const extra = () => ({
  id: victim.ids.rules,
  userId: victim.userId,
  user_id: victim.userId,
  ownerId: victim.userId,
  owner_id: victim.userId,
  rule_id: victim.ids.rules,
  transfer_id: victim.ids.transfers,
  token_id: victim.ids.tokens,
  item_id: victim.itemId,
  twitch_id: victim.twitchId,
  steam_id: victim.steamId,
  state: 'claimed',
  verified: true,
  emailVerifiedAtMs: 1,
  botId: 'taken',
  seed: 'taken',
  holder: 'taken',
  passwordHash: 'taken',
  role: 'admin',
  created_at: 1,
});

/** The same call with extra fields in its body, including nested objects. */
function loaded(json: Record<string, unknown> | undefined): Record<string, unknown> {
  const inner = { state: 'held', owner_id: victim.userId };
  const parts = Object.entries(json ?? {}).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.map((each: object) => ({ ...each, ...inner }))];
    return [name, typeof value === 'object' ? { ...value, ...inner } : value];
  });
  return { ...extra(), ...Object.fromEntries(parts) };
}

const changing = here.filter((name) => rowOf(name).method !== 'GET');

test.each(changing)('%s with extra fields is refused and changes nothing', async (name) => {
  const row = rowOf(name);
  const { app, path, json } = await prepare(row);
  const before = await stored();
  const refused = await app.send(row.method, path, { json: loaded(json) });
  expect(refused.status).toBe(422);
  expect(new Set(refused.codes)).toEqual(new Set(['unknownField']));
  if (row.body) {
    const pointers = refused.body.errors.map(
      (error: { source: { pointer: string } }) => error.source.pointer,
    );
    const atTop = Object.keys(extra()).map((field) => `/${field}`);
    const nested = pointers.filter((pointer: string) => !atTop.includes(pointer));
    // An answer names at most twenty faults.
    expect(pointers).toEqual([...nested, ...atTop].slice(0, 20));
  }
  expect(changes(before, await stored(), new Map(), Date.now())).toEqual([]);
  // The extra fields alone caused the refusal: without them, the same call succeeds.
  expect((await app.send(row.method, path, json ? { json } : {})).status).toBe(row.answers.status);
});
