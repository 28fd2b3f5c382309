import './support/web.ts';
import { beforeAll, expect, test } from 'vitest';
import { events } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { addBot, addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { claimable } from './support/claimable.ts';
import { type Signed, streamer, viewer } from './support/people.ts';

const api = '/api/v1';
let owner: Signed;

beforeAll(async () => {
  owner = await streamer();
  await addBot(owner.db);
  for (const name of ['First', 'Second', 'Third'])
    await addRule(owner.db, owner, { name, rewards: 0, nowMs: START_MS });
  await deposit(owner.db, owner, [asset('Alpha case'), asset('Beta case'), asset('Beta case')], START_MS);
});

test('links.next leads through all pages without gaps or repeats', async () => {
  const names: string[] = [];
  let next: string | null = `${api}/rules?page[size]=1&filter[name]=ir`;
  for (let pages = 0; next !== null && pages < 9; pages++) {
    const { body } = await owner.app.get(next);
    expect(body.data.length).toBe(1);
    names.push(body.data[0].attributes.name);
    next = body.links.next;
  }
  expect(names).toEqual(['Third', 'First']);
});

test('The next page keeps the query', async () => {
  const { body } = await owner.app.get(`${api}/rules?page[size]=1&fields[rules]=name`);
  const query = new URL(body.links.next, 'http://localhost').searchParams;
  expect([query.get('page[size]'), query.get('fields[rules]')]).toEqual(['1', 'name']);
});

test('Sparse fieldsets leave only the requested fields, also in included resources', async () => {
  const { body } = await owner.app.get(
    `${api}/transfers?include=items&fields[transfers]=state&fields[transfer-items]=name`,
  );
  expect(body.data[0]).toEqual({ type: 'transfers', id: body.data[0].id, attributes: { state: 'accepted' } });
  expect(body.included.map((each: { attributes: object }) => each.attributes)).toEqual([
    { name: 'Alpha case' },
    { name: 'Beta case' },
  ]);
});

test('Resources that are not included are still linked, and none is included twice', async () => {
  const plain = await owner.app.get(`${api}/transfers`);
  expect(plain.body).not.toHaveProperty('included');
  expect(plain.body.data[0].relationships.items.data).toHaveLength(2);
  const user = await owner.app.get(`${api}/users`);
  expect(user.body.included.map((each: { type: string }) => each.type)).toEqual([
    'steam-accounts',
    'twitch-accounts',
  ]);
  const bare = await owner.app.get(`${api}/users?include=`);
  expect(bare.body.included ?? []).toEqual([]);
});

test('The user resource matches the specification', async () => {
  const { body } = await owner.app.get(`${api}/users`);
  expect(Object.keys(body.data.attributes)).toEqual(['name', 'email', 'verified', 'settings']);
  expect(Object.keys(body.data.relationships)).toEqual(['steamAccount', 'twitchAccount']);
  const [steam, twitch] = body.included;
  expect(steam.attributes.trade_link).toContain('https://steamcommunity.com/tradeoffer/new/');
  expect(twitch.attributes.streaming_features_enabled).toBe(true);
  const accounts = await owner.app.get(`${api}/users/accounts`);
  expect(accounts.body.data).toEqual(body.included);
});

test('Items are listed with their totals, filtered and unfiltered', async () => {
  const { body } = await owner.app.get(`${api}/items?filter[name]=beta`);
  expect(body.data).toHaveLength(1);
  expect(body.data[0].attributes).toMatchObject({ total: 2, available: 2, unavailable: 0, assigned: 0 });
  expect(body.meta.totals).toMatchObject({ total: 3, available: 3 });
  expect((await owner.app.get(`${api}/items?filter[state]=missing`)).body.data).toEqual([]);
});

test('Channels with open rules can be filtered by name and by being live', async () => {
  const found = await owner.app.get(`${api}/channels?filter[name]=${owner.twitchId}`);
  expect(found.body.data).toHaveLength(1);
  expect(found.body.data[0]).toMatchObject({
    id: owner.twitchId,
    attributes: { live: false, open_rules: 3 },
  });
  const online = await owner.app.get(`${api}/channels?filter[name]=${owner.twitchId}&filter[status]=online`);
  expect(online.body.data).toEqual([]);
  const offline = await owner.app.get(`${api}/channels?filter[status]=offline&page[size]=100`);
  expect(offline.body.data.length).toBeGreaterThanOrEqual(1);
});

test('Notifications start with the oldest and continue after the last one read', async () => {
  const first = await owner.app.get(`${api}/notifications?page[size]=2`);
  expect(first.body.data).toHaveLength(2);
  const next = first.body.links.next.replace('size%5D=2', 'size%5D=100');
  const rest = await owner.app.get(next);
  const ids = [...first.body.data, ...rest.body.data].map((each: { id: string }) => each.id);
  expect(new Set(ids).size).toBe(ids.length);
  await owner.app.patch(`${api}/users`, { json: { name: 'Somebody' } });
  const notifications = await owner.app.get(`${api}/notifications?page[after]=${rest.body.meta.cursor}`);
  const fresh = notifications.body.data.filter((each: { id: string }) => !ids.includes(each.id));
  expect(fresh).toMatchObject([{ attributes: { kind: 'account.changed' } }]);
});

test('A notification that is committed after a later one is not skipped', async () => {
  const person = await viewer();
  const nowMs = Date.now();
  const reported = async (after: string | null): Promise<{ ids: string[]; cursor: string }> => {
    const { body } = await person.app.get(`${api}/notifications${after ? `?page[after]=${after}` : ''}`);
    return { ids: body.data.map((each: { id: string }) => each.id), cursor: body.meta.cursor };
  };
  const write = async (atMs: number) => {
    const id = newId(atMs);
    const event = { id, atMs, userId: person.userId, kind: 'account.changed', subjectId: person.userId };
    await person.db.transaction(async (tx) => void (await tx.insert(events).values(event)));
    return id;
  };
  const long = await write(nowMs - 60_000);
  const newest = await write(nowMs);
  const first = await reported(null);
  expect(first.ids).toEqual([long, newest]);
  // Created before the newest one, by a slower transaction.
  const late = await write(nowMs - 2_000);
  const second = await reported(first.cursor);
  expect(second.ids).toEqual([late, newest]);
  expect((await reported(second.cursor)).ids).toEqual([late, newest]);
});

test('A notification is returned once, when it can no longer be overtaken', async () => {
  const person = await viewer();
  const atMs = Date.now() - 60_000;
  const event = { id: newId(atMs), atMs, userId: person.userId, kind: 'account.changed', subjectId: 'x' };
  await person.db.transaction(async (tx) => void (await tx.insert(events).values(event)));
  const { body } = await person.app.get(`${api}/notifications`);
  const later = await person.app.get(`${api}/notifications?page[after]=${body.meta.cursor}`);
  expect([body.data.length, later.body.data, later.body.meta]).toEqual([1, [], body.meta]);
});

test('A rule’s rewards are listed by kind, and promises appear in the viewer’s list', async () => {
  const another = await streamer();
  const winner = await claimable(another.db, another);
  const rule = await another.app.get(`${api}/rules/${winner.ruleId}`);
  expect(rule.body.included[0].attributes).toMatchObject({
    market_hash_name: 'Demo case',
    promised: 1,
    free: 0,
  });
  const alone = await another.app.get(`${api}/rules/${winner.ruleId}/rewards`);
  expect(alone.body.data).toEqual(rule.body.included);
  const mine = await winner.app.get(`${api}/rewards?filter[state]=promised`);
  expect(mine.body.data.map((each: { id: string }) => each.id)).toEqual([winner.rewardId]);
  expect((await winner.app.get(`${api}/rewards/${winner.rewardId}`)).body.data).toEqual(mine.body.data[0]);
  expect((await winner.app.get(`${api}/reward-history`)).body.data).toEqual([]);
});
