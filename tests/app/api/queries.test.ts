import './support/web.ts';
import { beforeAll, expect, test } from 'vitest';
import { table } from '#app/api/table.server.ts';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { addRule, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { idIn, type Owner, ownerOfAll } from '../support/owner.ts';
import type { App, Reply } from './support/app.ts';
import { signIn, viewer } from './support/people.ts';

const api = '/api/v1';
let owner: Owner;
let app: App;

beforeAll(async () => {
  owner = await ownerOfAll();
  app = await signIn(owner);
});

const addressOf = (path: string) => path.replace('{id}', idIn(path, owner)).replace('{login}', owner.login);
const read = (query: string): Promise<Reply> => app.get(`${api}/${query}`);
const idsOf = ({ body }: Reply): string[] => body.data.map((each: { id: string }) => each.id);

const rows = table.map((row) => [`${row.method} ${row.path}`, row] as const);

test.each(rows)('%s refuses unknown query parameters, and names them', async (_, row) => {
  const caller = await viewer();
  for (const query of [
    'include=nonsense',
    'include=owner.tokens',
    'filter[nonsense]=1',
    'filter[ownerId]=1',
    'fields[nonsense]=name',
    'fields[users]=password_hash',
    'page[nonsense]=1',
    'page[size]=0',
    'sort=name',
    'nonsense=1',
  ]) {
    const reply = await caller.app.send(row.method, `${addressOf(row.path)}?${query}`);
    const [name] = query.split('=');
    expect([query, reply.status]).toEqual([query, 400]);
    expect(reply.body.errors.map((error: { source: object }) => error.source)).toEqual([{ parameter: name }]);
    expect(['badParameter', 'unknownParameter']).toContain(reply.codes[0]);
  }
});

test.each(rows.filter(([, { answers }]) => answers.of.length > 0))(
  '%s can include all resources that its own link to',
  (_, row) => {
    const pointed = row.answers.of.flatMap(({ relationships }) => Object.keys(relationships));
    expect(Object.keys(row.includes).sort()).toEqual(pointed.sort());
  },
);

const lists = [
  'rules',
  'items',
  'transfers',
  'reward-progress',
  'rewards',
  'reward-history',
  'given-rewards',
  'channels',
  'notifications',
];

test.each(lists)('The list of %s is paginated and can be filtered', (name) => {
  const row = table.find(({ method, path }) => method === 'GET' && path === `${api}/${name}`);
  expect(row?.cursor).not.toBeNull();
  expect(Object.keys(row?.filter.shape ?? {})).not.toEqual([]);
});

test('A reward links its channel as progress does, and can include it', async () => {
  const linked = (await read(`rewards/${owner.ids.rewards}?include=`)).body.data.relationships.channel.data;
  expect(linked.type).toBe('channels');
  for (const query of [`rewards/${owner.ids.rewards}`, 'rewards?include=channel']) {
    const { body } = await read(query);
    expect(body.included).toMatchObject([{ type: 'channels', id: linked.id, attributes: { live: false } }]);
  }
  const plain = await read('rewards');
  expect(plain.body).not.toHaveProperty('included');
  expect(idsOf(await read(`rewards?filter[channel_id]=${linked.id}`))).toEqual([owner.ids.rewards]);
  expect(idsOf(await read('rewards?filter[channel_id]=1'))).toEqual([]);
  expect(idsOf(await read('reward-history?filter[channel_id]=1'))).toEqual([]);
  const claimed = await app.post(`${api}/claims?include=channel&fields[channels]=login`, {
    json: { reward_id: owner.ids.rewards },
  });
  expect(claimed.body.included).toMatchObject([{ id: linked.id, attributes: { login: expect.any(String) } }]);
});

test('Progress can be filtered by standing and by channel', async () => {
  const db = await database();
  const viewer = await ownerOfAll();
  const theirs = await signIn(viewer);
  const nowMs = Date.now();
  const givers = [await addStreamer(db), await addStreamer(db)] as const;
  for (const { twitchId: channelId } of givers) {
    const followers = [{ twitchId: viewer.twitchId, followedAtMs: nowMs - 30 * day }];
    await recordFollows(db, { channelId, followers, complete: true, readAtMs: nowMs });
  }
  const free = await addRule(db, givers[0], { rewards: 1, nowMs });
  const empty = await addRule(db, givers[0], { rewards: 0, nowMs });
  const waiting = await addRule(db, givers[1], { rewards: 0, followDays: 7, watchMinutes: null, nowMs });
  const found = async (query: string) => idsOf(await theirs.get(`${api}/reward-progress?${query}`)).sort();
  expect(await found('')).toEqual([free, empty, waiting].sort());
  expect(await found('filter[status]=inProgress')).toEqual([free]);
  expect(await found('filter[status]=outOfRewards')).toEqual([empty]);
  expect(await found('filter[status]=waiting')).toEqual([waiting]);
  expect(await found('filter[status]=paused')).toEqual([]);
  expect(await found(`filter[channel_id]=${givers[1].twitchId}`)).toEqual([waiting]);
  expect((await theirs.get(`${api}/reward-progress?filter[status]=lost`)).status).toBe(400);
});

test('Progress says whether the last look at a live chat found the caller there', async () => {
  const db = await database();
  const giver = await addStreamer(db);
  const [here, away] = [await viewer(), await viewer()];
  const nowMs = Date.now();
  const streamAtMs = nowMs - 3 * minute;
  await goLive(db, giver.twitchId, streamAtMs);
  await addRule(db, giver, { rewards: 1, watchMinutes: 60, nowMs: streamAtMs });
  const both = [here.twitchId, away.twitchId];
  await readChatters(db, giver.twitchId, both, nowMs - 2 * minute);
  await readChatters(db, giver.twitchId, [here.twitchId], nowMs - minute);
  const chatOf = async (person: typeof here) =>
    (await person.app.get(`${api}/reward-progress`)).body.data[0].attributes.in_chat;
  const looked_at = new Date(nowMs - minute).toISOString();
  expect(await chatOf(here)).toEqual({ is: 'counted', looked_at, reason: null });
  expect(await chatOf(away)).toEqual({ is: 'absent', looked_at, reason: null });
  const uncounted = { excluded: [here.twitchId] };
  await readChatters(db, giver.twitchId, [], nowMs, { uncounted });
  expect(await chatOf(here)).toMatchObject({ is: 'uncounted', reason: 'excluded' });
});

test('Items can be filtered by game, and transfers by state, as well as by their previous filters', async () => {
  const db = await database();
  const nowMs = Date.now();
  const hat = asset('Demo hat', { appId: 440 });
  const hats = await deposit(db, owner, [hat], nowMs - 8 * day);
  const named = async (query: string) =>
    (await read(query)).body.data.map((each: Reply['body']) => each.attributes.market_hash_name);
  expect(await named('items?filter[app_id]=440')).toEqual(['Demo hat']);
  expect(await named('items?filter[app_id]=730')).toEqual([owner.kind.marketHashName, 'Demo case']);
  expect(await named('items?filter[app_id]=440&filter[name]=case')).toEqual([]);
  expect(idsOf(await read('transfers?filter[state]=accepted'))).toContain(hats);
  const waiting = await deposit(db, owner, [asset('Demo coat')], nowMs);
  expect(idsOf(await read('transfers?filter[state]=cancelled'))).not.toContain(waiting);
  expect(idsOf(await read('transfers?filter[state]=accepted&filter[phase]=open'))).toEqual([]);
});

test('Notifications can be filtered by subject, and continue after the last one read', async () => {
  const all = (await read('notifications?page[size]=100')).body.data;
  const about = all.filter((each: Reply['body']) => each.attributes.kind === 'transfer.changed');
  expect(about.length).toBeGreaterThan(1);
  expect(about.length).toBeLessThan(all.length);
  const first = await read('notifications?filter[kind]=transfer.changed&page[size]=1');
  const rest = await app.get(first.body.links.next.replace('size%5D=1', 'size%5D=100'));
  expect([...first.body.data, ...rest.body.data]).toEqual(about);
  expect((await read('notifications?filter[kind]=mail.sent')).status).toBe(400);
});

test('An updated rule can include its rewards', async () => {
  const { rules: id } = owner.ids;
  const json = { items: [{ kind_id: kindKey(owner.kind), quantity: 1 }] };
  const path = `${api}/rules/${id}/rewards?include=rewards&fields[rule-rewards]=free,recalled`;
  const added = await app.post(path, { json });
  expect(added.body.included).toMatchObject([{ type: 'rule-rewards', attributes: { free: 2 } }]);
  const removed = await app.delete(path, { json });
  expect(removed.body.included).toMatchObject([{ attributes: { free: 1, recalled: 1 } }]);
  const closed = await app.delete(`${api}/rules/${id}?include=rewards`);
  expect(closed.body.included).toMatchObject([{ attributes: { free: 0, recalled: 2 } }]);
});

test('A cancelled transfer can include its items', async () => {
  const cancelled = await app.post(`${api}/transfers/${owner.ids.transfers}/cancel?include=items`);
  expect(cancelled.body.included).toMatchObject([{ type: 'transfer-items', attributes: { quantity: 1 } }]);
});

test('Sparse fieldsets leave one attribute of each resource in a list', async () => {
  for (const [name, type, field] of [
    ['rules', 'rules', 'name'],
    ['items', 'items', 'total'],
    ['transfers', 'transfers', 'state'],
    ['rewards', 'rewards', 'state'],
    ['channels', 'channel-listings', 'login'],
    ['notifications', 'notifications', 'kind'],
  ] as const) {
    const { body } = await read(`${name}?fields[${type}]=${field}`);
    expect(body.data.length).toBeGreaterThan(0);
    for (const each of body.data) expect(Object.keys(each)).toEqual(['type', 'id', 'attributes']);
    for (const each of body.data) expect(Object.keys(each.attributes)).toEqual([field]);
  }
});
