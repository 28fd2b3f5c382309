import './support/web.ts';
import { beforeAll, expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { addBot, asset, deposit } from '#tests/support/fixtures.ts';
import { type Signed, streamer } from './support/people.ts';

const api = '/api/v1';
let owner: Signed;

/** A plain piece, two with stickers and one with a name tag, all of one market name. */
beforeAll(async () => {
  owner = await streamer();
  await addBot(owner.db);
  const sticker = { traits: 'Sticker: Demo One\nSticker: Demo Two' };
  await deposit(
    owner.db,
    owner,
    [
      asset('Demo rifle'),
      asset('Demo rifle', sticker),
      asset('Demo rifle', sticker),
      asset('Demo rifle', { traits: "Name Tag: ''Mine''" }),
    ],
    Date.now() - 9 * day,
  );
});

// biome-ignore lint/suspicious/noExplicitAny: resources as the API sends them.
const held = async (): Promise<any[]> => (await owner.app.get(`${api}/items`)).body.data;
const withTrait = async (trait: string) =>
  (await held()).find(({ attributes }) => attributes.traits.includes(trait));

test('A kind has one short id, which is the id of its row, and its traits are a list', async () => {
  const rows = await held();
  expect(new Set(rows.map(({ attributes }) => attributes.market_hash_name))).toEqual(new Set(['Demo rifle']));
  const ids = rows.map(({ id, attributes }) => {
    expect(attributes.kind_id).toBe(id);
    return id;
  });
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(encodeURIComponent(id)).toBe(id);
  expect((await withTrait('Sticker: Demo Two')).attributes.traits).toEqual([
    'Sticker: Demo One',
    'Sticker: Demo Two',
  ]);
});

test('A special piece is added, weighed, removed and returned by the id of its kind', async () => {
  const { id: kind_id } = await withTrait('Sticker: Demo One');
  const items = [{ kind_id, quantity: 1 }];
  const opened = await owner.app.post(`${api}/rules`, {
    json: { name: 'Demo rule', rule_type: 'random', watch_minutes: 60, items },
  });
  expect(opened.body.data.attributes).toMatchObject({ rule_type: 'random', pool: { free: 1 } });
  const pool = `${api}/rules/${opened.body.data.id}/rewards`;
  expect((await owner.app.post(pool, { json: { items } })).body.data.attributes.pool.free).toBe(2);
  expect((await owner.app.post(pool, { json: { items } })).codes).toEqual(['notEnough']);
  const weighed = await owner.app.patch(pool, { json: { weights: [{ kind_id, weight: 5 }] } });
  expect(weighed.body.data).toMatchObject([{ attributes: { kind_id, weight: 5, free: 2 } }]);
  const removed = await owner.app.delete(pool, { json: { items } });
  expect(removed.body.data.attributes.pool.free).toBe(1);
  const returned = await owner.app.post(`${api}/items/return?include=items`, { json: { items } });
  expect(returned.body.included).toMatchObject([{ attributes: { kind_id, quantity: 1 } }]);
});

test('A repeated removal of the last piece has its first answer', async () => {
  const { id: kind_id } = await withTrait("Name Tag: ''Mine''");
  const items = [{ kind_id, quantity: 1 }];
  const json = { name: 'Demo rule', follow_days: 1, items };
  const { body } = await owner.app.post(`${api}/rules`, { json });
  const pool = `${api}/rules/${body.data.id}/rewards`;
  const headers = { 'Idempotency-Key': newId(Date.now()) };
  for (let sent = 0; sent < 2; sent++) {
    const removed = await owner.app.delete(pool, { json: { items }, headers });
    expect([removed.status, removed.body.data.attributes.pool.free]).toEqual([200, 0]);
  }
  expect((await owner.app.delete(pool, { json: { items } })).status).toBe(409);
});

test.each(['Demo rifle', '730-short', 730, ''])('%j is no id of a kind', async (kind_id) => {
  const reply = await owner.app.post(`${api}/items/return`, { json: { items: [{ kind_id, quantity: 1 }] } });
  expect(reply).toMatchObject({ status: 422, codes: ['invalid'] });
  expect(reply.body.errors[0].source).toEqual({ pointer: '/items/0/kind_id' });
});
