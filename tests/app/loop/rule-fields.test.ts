import { beforeEach, expect, test } from 'vitest';
import { action as createAction, loader as createLoader } from '#app/routes/rules/new-rule.tsx';
import { loader as ruleLoader } from '#app/routes/rules/rule.tsx';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { newId } from '#domain/kernel/id.ts';
import { listRules } from '#domain/rule/list-rules.ts';
import { recordBroadcasterTypes } from '#domain/rule/record-broadcaster-types.ts';
import { addPerson, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { admit } from '#tests/support/guests.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let streamer: Person;
let visitor: Visitor;

beforeEach(async () => {
  db = await database();
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
});

const form = (more: Record<string, string> = {}) => ({
  requestId: newId(Date.now()),
  name: 'Ten hours together',
  followDays: '30',
  watchAmount: '10',
  watchUnit: 'hours',
  watchScope: 'sinceRule',
  subscriberTier: '1',
  pointsCost: '1000',
  claimTimeoutHours: '72',
  confirmed: '1',
  ...more,
});
const create = (more: Record<string, string>, who = visitor) =>
  who.call(createAction, '/rules/new', { form: form(more) });
const rules = async (who = streamer) => (await listRules(db, { ownerId: who.userId })).rows;

test('A rule can require a subscription and channel points, alone or together', async () => {
  await create({ subscriber: 'on', subscriberTier: '2' });
  await create({ points: 'on', pointsCost: '500' });
  await create({ subscriber: 'on', points: 'on', watch: 'on', follow: 'on' });
  expect(await rules()).toMatchObject([
    { subscriberTier: 1, pointsCost: 1000, watchMinutes: 600, followDays: 30 },
    { subscriberTier: null, pointsCost: 500, watchMinutes: null, followDays: null },
    { subscriberTier: 2, pointsCost: null, watchMinutes: null, followDays: null },
  ]);
});

test('A rule can ask for streams, any or so many in a row', async () => {
  await create({ streams: 'on', attendedStreams: '8', ofLastStreams: '' });
  await create({ streams: 'on', attendedStreams: '3', ofLastStreams: '5' });
  await create({ follow: 'on', attendedStreams: '3', ofLastStreams: '5' });
  expect(await rules()).toMatchObject([
    { attendedStreams: null, ofLastStreams: null, followDays: 30 },
    { attendedStreams: 3, ofLastStreams: 5 },
    { attendedStreams: 8, ofLastStreams: null },
  ]);
});

test.each([
  ['no cost', { points: 'on', pointsCost: '' }, 'pointsCost', 'errors.field.required'],
  ['a negative cost', { points: 'on', pointsCost: '-5' }, 'pointsCost', 'range'],
  ['a cost of zero', { points: 'on', pointsCost: '0' }, 'pointsCost', 'range'],
  ['a huge cost', { points: 'on', pointsCost: '2000001' }, 'pointsCost', 'range'],
  ['a fractional cost', { points: 'on', pointsCost: '1.5' }, 'pointsCost', 'errors.field.number'],
  ['a cost in words', { points: 'on', pointsCost: 'many' }, 'pointsCost', 'errors.field.number'],
  ['an infinite cost', { points: 'on', pointsCost: '1e999' }, 'pointsCost', 'errors.field.number'],
  ['a fourth tier', { subscriber: 'on', subscriberTier: '4' }, 'subscriberTier', 'errors.field.choice'],
  [
    'Twitch’s own tier',
    { subscriber: 'on', subscriberTier: '1000' },
    'subscriberTier',
    'errors.field.choice',
  ],
  ['a forged type', { watch: 'on', type: 'all' }, 'type', 'errors.field.choice'],
  ['a channel by name', { watch: 'on', channel: 'nordwind' }, 'channel', 'errors.field.choice'],
  ['a channel that is a path', { watch: 'on', channel: '../1' }, 'channel', 'errors.field.choice'],
  [
    'a channel id that is too long',
    { watch: 'on', channel: '9'.repeat(21) },
    'channel',
    'errors.field.choice',
  ],
])('A rule with %s is refused next to the field', async (_, more, field, error) => {
  const answer = await create(more as Record<string, string>);
  expect(answer.status).toBe(400);
  const words = error === 'range' ? 'errors.field.range|{"min":1,"max":2000000}' : error;
  expect(answer.body.result.error).toEqual({ [field]: [words] });
  expect(await rules()).toEqual([]);
});

test.each([
  ['none', { attendedStreams: '' }, 'attendedStreams', 'errors.field.required'],
  ['zero', { attendedStreams: '0' }, 'attendedStreams', 'errors.field.range|{"min":1,"max":50}'],
  ['too many', { attendedStreams: '51' }, 'attendedStreams', 'errors.field.range|{"min":1,"max":50}'],
  ['streams in words', { attendedStreams: 'many' }, 'attendedStreams', 'errors.field.number'],
  ['some of the last zero', { ofLastStreams: '0' }, 'ofLastStreams', 'errors.field.range|{"min":1,"max":50}'],
  ['some of the last, in words', { ofLastStreams: 'many' }, 'ofLastStreams', 'errors.field.number'],
  ['eight of the last seven', { ofLastStreams: '7' }, 'attendedStreams', 'errors.rule.lastStreamsTooFew'],
])('A rule for streams with %s is refused next to the field', async (_, more, field, error) => {
  const answer = await create({ streams: 'on', attendedStreams: '8', ofLastStreams: '', ...more });
  expect(answer.body.result.error).toEqual({ [field]: [error] });
  expect(await rules()).toEqual([]);
});

test('All faults of the form are shown at once', async () => {
  const answer = await create({ name: ' ', claimTimeoutHours: '0', follow: 'on', followDays: '' });
  expect(Object.keys(answer.body.result.error).sort()).toEqual(['claimTimeoutHours', 'followDays', 'name']);
  const none = await create({ name: ' ' });
  expect(none.body.result.error).toMatchObject({
    '': ['errors.rule.noCondition'],
    name: ['errors.field.required'],
  });
});

test('Values of unselected conditions are ignored', async () => {
  expect((await create({ watch: 'on', points: '', pointsCost: '7' })).toast).toBe('messages.ruleCreated');
  expect(await rules()).toMatchObject([{ pointsCost: null, subscriberTier: null, type: 'one' }]);
});

test('A random reward for a subscription or points is refused at the review', async () => {
  for (const paid of ['subscriber', 'points'])
    for (const confirmed of ['1', undefined]) {
      const { confirmed: _, ...fields } = form({ [paid]: 'on', type: 'random', watch: 'on' });
      const answer = await visitor.call(createAction, '/rules/new', {
        form: { ...fields, ...(confirmed && { confirmed }) },
      });
      expect(answer).toMatchObject({
        status: 409,
        body: { result: { error: { type: ['errors.rule.paidDraw'] } } },
      });
    }
  expect(await rules()).toEqual([]);
  await create({ type: 'random', watch: 'on', follow: 'on' });
  expect(await rules()).toMatchObject([{ type: 'random' }]);
});

test('Returning from the review keeps all entries', async () => {
  const host = await addStreamer(db);
  await admit(db, host, streamer);
  const entered = {
    type: 'random',
    channel: host.twitchId,
    follow: 'on',
    followDays: '7',
    watchScope: 'allTime',
  };
  const { confirmed: _, ...fields } = form(entered);
  const review = await visitor.call(createAction, '/rules/new', { form: fields });
  expect(review.body.review.channelName).toBe(`Demo channel ${host.twitchId}`);
  const back = await visitor.call(createAction, '/rules/new', {
    form: { ...review.body.review.fields, edit: '1' },
  });
  const { initialValue } = back.body.result;
  expect(initialValue).toMatchObject({ ...entered, name: 'Ten hours together', pointsCost: '1000' });
  for (const condition of ['watch', 'subscriber', 'points'])
    expect(initialValue).not.toHaveProperty(condition);
  expect(await rules()).toEqual([]);
});

test('Without JavaScript a paid chance is repaired by a button', async () => {
  const { confirmed: _, ...fields } = form({ type: 'random', watch: 'on', points: 'on' });
  const repair = async (by: string) =>
    (await visitor.call(createAction, '/rules/new', { form: { ...fields, repair: by } })).body.result;
  expect(await repair('one')).toMatchObject({ initialValue: { type: 'one', points: 'on' } });
  const free = await repair('points');
  expect(free).toMatchObject({ initialValue: { type: 'random', watch: 'on' } });
  expect(free.initialValue).not.toHaveProperty('points');
  expect(free).not.toHaveProperty('error');
});

test('A rule can run on another channel only while its broadcaster admits its owner', async () => {
  const host = await addStreamer(db);
  const there = { watch: 'on', channel: host.twitchId };
  expect((await create(there)).body.result.error).toEqual({ '': ['errors.rule.notAdmitted'] });
  await admit(db, host, streamer);
  const page = await visitor.call(createLoader, '/rules/new');
  expect(page.body.places.others).toMatchObject([{ id: host.twitchId }]);
  expect((await create({ ...there, points: 'on' })).body.result.error).toEqual({
    pointsCost: ['errors.rule.pointsElsewhere'],
  });
  expect((await create(there)).toast).toBe('messages.ruleCreated');
  const [rule] = await rules();
  expect(rule).toMatchObject({ channelId: host.twitchId });
  // Beyond admitting them, a broadcaster has no control over a guest's rule.
  const other = await visitorOf(host.userId);
  expect((await other.call(ruleLoader, '/x', { params: { id: rule?.id ?? '' } })).status).toBe(404);
});

test('The form knows which channels can have neither subscribers nor custom rewards', async () => {
  const host = await addStreamer(db);
  await admit(db, host, streamer);
  const plain = async () => (await visitor.call(createLoader, '/rules/new')).body.places.plain;
  expect(await plain()).toEqual([]);
  const asRead = (twitchId: string, broadcasterType: 'plain' | 'affiliate') => ({
    twitchId,
    broadcasterType,
  });
  await recordBroadcasterTypes(
    db,
    [asRead(host.twitchId, 'plain'), asRead(streamer.twitchId, 'affiliate')],
    1,
  );
  expect(await plain()).toEqual([host.twitchId]);
  await recordBroadcasterTypes(db, [asRead(streamer.twitchId, 'plain')], 1);
  expect((await plain()).toSorted()).toEqual(['', host.twitchId]);
});

test('A streamer without permissions for an own channel can still run rules as a guest', async () => {
  const [host, viewer] = [await addStreamer(db), await addPerson(db)];
  await admit(db, host, viewer);
  const guest = await visitorOf(viewer.userId);
  const page = await guest.call(createLoader, '/rules/new');
  expect(page.body).toMatchObject({ lacks: null, places: { ownChannel: '' } });
  expect((await create({ watch: 'on', channel: host.twitchId }, guest)).toast).toBe('messages.ruleCreated');
  expect((await create({ watch: 'on' }, guest)).body.result.error).toEqual({
    '': ['errors.twitch.missingPermissions'],
  });
});
