import './support/web.ts';
import { beforeAll, expect, test } from 'vitest';
import { addBot, addRule, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { claimable } from './support/claimable.ts';
import { type Signed, streamer } from './support/people.ts';

const api = '/api/v1';
let owner: Signed;

beforeAll(async () => {
  owner = await streamer();
  await addBot(owner.db);
  for (const name of ['First', 'Second', 'Third'])
    await addRule(owner.db, owner, { name, rewards: 0, nowMs: START_MS });
  await deposit(owner.db, owner, [asset('Alpha case'), asset('Beta case'), asset('Beta case')], START_MS);
});

test('Pages follow one another by links.next, without a gap or a repeat, to an end', async () => {
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

test('The next page keeps what was asked for', async () => {
  const { body } = await owner.app.get(`${api}/rules?page[size]=1&fields[rules]=name`);
  const query = new URL(body.links.next, 'http://localhost').searchParams;
  expect([query.get('page[size]'), query.get('fields[rules]')]).toEqual(['1', 'name']);
});

test('Sparse fields leave only what was asked for, of the included resources too', async () => {
  const { body } = await owner.app.get(
    `${api}/transfers?include=items&fields[transfers]=state&fields[transfer-items]=name`,
  );
  expect(body.data[0]).toEqual({ type: 'transfers', id: body.data[0].id, attributes: { state: 'accepted' } });
  expect(body.included.map((each: { attributes: object }) => each.attributes)).toEqual([
    { name: 'Alpha case' },
    { name: 'Beta case' },
  ]);
});

test('What is not included is linked all the same, and nothing is included twice', async () => {
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

test('The user is told as the specification names it', async () => {
  const { body } = await owner.app.get(`${api}/users`);
  expect(Object.keys(body.data.attributes)).toEqual(['name', 'email', 'verified', 'settings']);
  expect(Object.keys(body.data.relationships)).toEqual(['steamAccount', 'twitchAccount']);
  const [steam, twitch] = body.included;
  expect(steam.attributes.trade_link).toContain('https://steamcommunity.com/tradeoffer/new/');
  expect(twitch.attributes.streaming_features_enabled).toBe(true);
  const accounts = await owner.app.get(`${api}/users/accounts`);
  expect(accounts.body.data).toEqual(body.included);
});

test('Items tell what they amount to, filtered and whole', async () => {
  const { body } = await owner.app.get(`${api}/items?filter[name]=beta`);
  expect(body.data).toHaveLength(1);
  expect(body.data[0].attributes).toMatchObject({ total: 2, available: 2, unavailable: 0, assigned: 0 });
  expect(body.meta.totals).toMatchObject({ total: 3, available: 3 });
  expect((await owner.app.get(`${api}/items?filter[state]=missing`)).body.data).toEqual([]);
});

test('Channels with open rules are found by name and by being online', async () => {
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

test('Notifications begin with the oldest and go on from where one was', async () => {
  const first = await owner.app.get(`${api}/notifications?page[size]=2`);
  expect(first.body.data).toHaveLength(2);
  const next = first.body.links.next.replace('size%5D=2', 'size%5D=100');
  const rest = await owner.app.get(next);
  const ids = [...first.body.data, ...rest.body.data].map((each: { id: string }) => each.id);
  expect(new Set(ids).size).toBe(ids.length);
  const later = await owner.app.get(`${api}/notifications?page[after]=${rest.body.meta.cursor}`);
  expect(later.body.data).toEqual([]);
  await owner.app.patch(`${api}/users`, { json: { name: 'Somebody' } });
  const news = await owner.app.get(`${api}/notifications?page[after]=${later.body.meta.cursor}`);
  expect(news.body.data[0].attributes.kind).toBe('account.changed');
});

test('A rule’s rewards are told by kind, and promises reach the viewer’s list', async () => {
  const viewer = await claimable(owner.db, owner);
  const rule = await owner.app.get(`${api}/rules/${viewer.ruleId}`);
  expect(rule.body.included[0].attributes).toMatchObject({
    market_hash_name: 'Demo case',
    promised: 1,
    free: 0,
  });
  const alone = await owner.app.get(`${api}/rules/${viewer.ruleId}/rewards`);
  expect(alone.body.data).toEqual(rule.body.included);
  const mine = await viewer.app.get(`${api}/rewards?filter[state]=promised`);
  expect(mine.body.data.map((each: { id: string }) => each.id)).toEqual([viewer.rewardId]);
  expect((await viewer.app.get(`${api}/rewards/${viewer.rewardId}`)).body.data).toEqual(mine.body.data[0]);
  expect((await viewer.app.get(`${api}/reward-history`)).body.data).toEqual([]);
});
