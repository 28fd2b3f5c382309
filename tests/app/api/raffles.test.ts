import './support/web.ts';
import { beforeEach, expect, test } from 'vitest';
import { kindKey } from '#app/services/items/picks.server.ts';
import { attendances } from '#db/schema/channel.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { addBot, addPerson } from '#tests/support/fixtures.ts';
import { drawRaffle, enter, placesOf, raffleOf, stock } from '#tests/support/raffles.ts';
import { App } from './support/app.ts';
import { type Signed, streamer } from './support/people.ts';

const api = '/api/v1';
const kind_id = kindKey({ appId: 730, marketHashName: 'Demo case' });
let owner: Signed;

beforeEach(async () => {
  owner = await streamer();
  await addBot(owner.db);
  await stock(owner.db, owner, 2, Date.now());
});

const prepare = (attributes: object = {}, headers = {}) =>
  owner.app.post(`${api}/raffles`, { json: { keyword: '!Redline', kind_id, ...attributes }, headers });

test('A raffle is prepared, started, drawn and read through the API', async () => {
  const prepared = await prepare({ winners: 2, minutes: 9, winners_out_days: 3 });
  expect(prepared.status).toBe(201);
  const { id, attributes } = prepared.body.data;
  expect(attributes).toMatchObject({ keyword: 'Redline', state: 'prepared', minutes: 9, started_at: null });
  expect(attributes).toMatchObject({ item_name: 'Demo case', winners: 2, winners_out_days: 3 });
  const stranger = new App();
  expect((await stranger.get(`${api}/raffles/${id}/entries`)).status).toBe(404);
  const started = await owner.app.post(`${api}/raffles/${id}/start`, { json: { minutes: 4 } });
  expect(started.body.data.attributes).toMatchObject({ state: 'running', entries: 0 });
  const { started_at, planned_end } = started.body.data.attributes;
  const startMs = Date.parse(started_at);
  expect(Date.parse(planned_end) - startMs).toBe(4 * minute);
  const again = await owner.app.post(`${api}/raffles/${id}/start`, { json: { minutes: 60 } });
  expect(again.body.data.attributes).toMatchObject({ started_at, planned_end });

  const viewers = [await addPerson(owner.db), await addPerson(owner.db), await addPerson(owner.db)];
  const twitchIds = viewers.map(({ twitchId }) => twitchId);
  await enter(owner.db, id, { channelId: owner.twitchId, twitchIds, nowMs: startMs });
  const closed = await owner.app.post(`${api}/raffles/${id}/draw`);
  expect(closed.body.data.attributes.planned_end).toBe(planned_end);
  expect(Date.parse(closed.body.data.attributes.entries_until)).toBeLessThan(Date.parse(planned_end));
  expect((await owner.app.post(`${api}/raffles/${id}/draw`)).body.data).toEqual(closed.body.data);
  await drawRaffle(owner.db, Date.parse(closed.body.data.attributes.entries_until));
  const { listHash } = await raffleOf(owner.db, id);
  const drawn = await owner.app.get(`${api}/raffles/${id}`);
  expect(drawn.body.data.attributes).toMatchObject({ state: 'drawn', entries: 3, list_hash: listHash });
  expect(Date.parse(drawn.body.data.attributes.announced_at)).toBeGreaterThan(startMs);

  // Anybody pages through the entries.
  const first = await stranger.get(`${api}/raffles/${id}/entries?page[size]=2`);
  expect(first.body.data.map(({ id: entry }: { id: string }) => entry)).toEqual([`${id}:1`, `${id}:2`]);
  const last = await stranger.get(first.body.links.next);
  expect(last.body.links.next).toBeNull();
  const listed = [...first.body.data, ...last.body.data].map(({ attributes: entry }) => entry);
  expect(listed.map(({ twitch_id }) => twitch_id)).toEqual(twitchIds);
  expect(Date.parse(listed[2].entered_at)).toBe(startMs + 3 * second);
  const places = await placesOf(owner.db, id);
  const byPlace = listed.toSorted((one, other) => one.place - other.place);
  expect(byPlace.map(({ twitch_id }) => twitch_id)).toEqual(places.map(({ twitchId }) => twitchId));
  expect(byPlace.map(({ state, reward }) => [state, reward])).toEqual([
    ['promised', 'promised'],
    ['promised', 'promised'],
    ['waiting', null],
  ]);
  expect((await owner.app.delete(`${api}/raffles/${id}`)).codes).toEqual(['listClosed']);
});

test('A repeated call prepares one raffle, and a second one is refused until the first is cancelled', async () => {
  const headers = { 'Idempotency-Key': newId(Date.now()) };
  const one = await prepare({}, headers);
  expect((await prepare({ keyword: 'another' }, headers)).body.data).toEqual(one.body.data);
  expect((await prepare()).codes).toEqual(['raffleLive']);
  const { id } = one.body.data;
  for (const _ of ['first', 'repeated']) {
    const { body } = await owner.app.delete(`${api}/raffles/${id}`);
    expect(body.data.attributes).toMatchObject({ state: 'cancelled', end_reason: 'byOwner' });
  }
  expect((await owner.app.post(`${api}/raffles/${id}/start`, { json: {} })).codes).toEqual(['notPrepared']);
  const other = await prepare();
  const { body } = await owner.app.get(`${api}/raffles?page[size]=1`);
  expect(body.data.map((raffle: { id: string }) => raffle.id)).toEqual([other.body.data.id]);
  expect((await owner.app.get(body.links.next)).body.data).toMatchObject([{ id }]);
});

test('Others neither see nor move a raffle, and its rule is no rule of its streamer', async () => {
  expect((await prepare({ attended_streams: 3 })).codes).toEqual(['notCounted']);
  await owner.db.transaction(async (tx) => {
    const counted = { streams: 1, streamNumber: 1, fromSeconds: 0, attended: true };
    await tx.insert(attendances).values({ channelId: owner.twitchId, twitchId: '900001', ...counted });
  });
  const { id } = (await prepare({ attended_streams: 3, of_last_streams: 8 })).body.data;
  const { app: stranger } = await streamer();
  for (const act of ['start', 'draw'])
    expect((await stranger.post(`${api}/raffles/${id}/${act}`, { json: {} })).status).toBe(404);
  expect((await stranger.delete(`${api}/raffles/${id}`)).status).toBe(404);
  expect((await stranger.get(`${api}/raffles/${id}`)).status).toBe(404);
  const mine = await owner.app.get(`${api}/raffles/${id}`);
  expect(mine.body.data.attributes).toMatchObject({
    state: 'prepared',
    attended_streams: 3,
    of_last_streams: 8,
  });
  expect((await owner.app.get(`${api}/rules`)).body.data).toEqual([]);
  for (const path of [`/rules/${id}`, `/rules/${id}/rewards`])
    expect((await owner.app.get(`${api}${path}`)).status).toBe(404);
  expect((await owner.app.delete(`${api}/rules/${id}`)).status).toBe(404);
});

test('Entering is free: a price in points is no field, and a subscription is refused', async () => {
  expect((await prepare({ points_cost: 100 })).status).toBe(422);
  expect((await prepare({ subscriber_tier: 1 })).codes).toEqual(['paidDraw']);
  expect((await prepare({ attended_streams: 8, of_last_streams: 3 })).codes).toEqual(['lastStreamsTooFew']);
  expect((await prepare({ keyword: 'two words' })).codes).toEqual(['keywordUnfit']);
  expect((await prepare({ winners: 3 })).codes).toEqual(['notEnough']);
});
