import { afterAll, beforeEach, expect, test } from 'vitest';
import { action as addAction, loader as addLoader } from '#app/routes/rules/add-rewards.tsx';
import { action as closeAction, loader as closeLoader } from '#app/routes/rules/delete-rule.tsx';
import { action as createAction, loader as createLoader } from '#app/routes/rules/new-rule.tsx';
import { action as removeAction, loader as removeLoader } from '#app/routes/rules/remove-rewards.tsx';
import { loader as ruleLoader } from '#app/routes/rules/rule.tsx';
import { loader as rulesLoader } from '#app/routes/rules/rules.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { getRule, listRules } from '#domain/rule/list-rules.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
} from '#tests/support/fixtures.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import type { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());

let db: Database;
let streamer: Person;
let visitor: Visitor;
const caseKey = kindKey({ appId: 730, marketHashName: 'Demo case' });

beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
});

const ruleForm = (more: Record<string, string> = {}) => ({
  requestId: newId(Date.now()),
  name: 'Ten hours together',
  watch: 'on',
  watchAmount: '10',
  watchUnit: 'hours',
  watchScope: 'sinceRule',
  followDays: '30',
  claimTimeoutHours: '72',
  ...more,
});
const create = (form: Record<string, string>) => visitor.call(createAction, '/rules/new', { form });
const rules = async () => (await listRules(db, { ownerId: streamer.userId })).rows;
const pool = async (ruleId: string) => (await getRule(db, { ruleId, ownerId: streamer.userId }))?.pool;

test('A rule is reviewed first, and opened when confirmed', async () => {
  const form = ruleForm();
  const review = await create(form);
  expect(review.status).toBe(200);
  expect(review.body.review).toMatchObject({
    draft: { name: 'Ten hours together', watchMinutes: 600, followDays: null, claimTimeoutHours: 72 },
    fields: { ...form, confirmed: '1' },
  });
  expect(await rules()).toEqual([]);
  const answer = await create(review.body.review.fields);
  expect(answer).toMatchObject({ location: `/rules/${form.requestId}`, toast: 'messages.ruleCreated' });
  expect(await rules()).toMatchObject([{ id: form.requestId, watchMinutes: 600, watchScope: 'sinceRule' }]);
});

test('Confirming a rule twice opens one rule', async () => {
  const form = ruleForm({ confirmed: '1' });
  const [first, second] = [await create(form), await create(form)];
  expect(second.location).toBe(first.location);
  expect(await rules()).toHaveLength(1);
});

test.each([
  ['no name', { name: ' ' }, 'name', 'errors.field.required'],
  ['a name that is too long', { name: 'n'.repeat(81) }, 'name', 'errors.field.tooLong|{"max":80}'],
  [
    'a negative watch time',
    { watchAmount: '-1' },
    'watchAmount',
    'errors.field.range|{"min":1,"max":525600}',
  ],
  [
    'a watch time beyond a year',
    { watchAmount: '9000' },
    'watchAmount',
    'errors.field.range|{"min":1,"max":8760}',
  ],
  ['a watch time without a unit', { watchUnit: 'weeks' }, 'watchUnit', 'errors.field.choice'],
  ['a watch time in words', { watchAmount: 'ten' }, 'watchAmount', 'errors.field.number'],
  ['no watch time', { watchAmount: '' }, 'watchAmount', 'errors.field.required'],
  [
    'a huge follow time',
    { follow: 'on', followDays: '99999999' },
    'followDays',
    'errors.field.range|{"min":1,"max":3650}',
  ],
  [
    'a claim time of zero',
    { claimTimeoutHours: '0' },
    'claimTimeoutHours',
    'errors.field.range|{"min":1,"max":336}',
  ],
  ['a fractional claim time', { claimTimeoutHours: '1.5' }, 'claimTimeoutHours', 'errors.field.number'],
])('A rule with %s is refused next to the field', async (_, more, field, error) => {
  const answer = await create(ruleForm({ ...(more as Record<string, string>), confirmed: '1' }));
  expect(answer.status).toBe(400);
  expect(answer.body.result.error).toMatchObject({ [field]: [error] });
  expect(await rules()).toEqual([]);
});

test('A rule without conditions, or with an invalid request id, is refused above the form', async () => {
  const { watch: _, ...none } = ruleForm({ confirmed: '1' });
  expect((await create(none)).body.result.error).toMatchObject({ '': ['errors.rule.noCondition'] });
  const forged = await create(ruleForm({ requestId: '../../x', confirmed: '1' }));
  expect(forged).toMatchObject({
    status: 400,
    body: { result: { error: { '': ['errors.trade.malformed'] } } },
  });
  expect(await rules()).toEqual([]);
});

test('A missing permission is reported before and after submitting', async () => {
  const viewer = await addPerson(db);
  const other = await visitorOf(viewer.userId);
  const page = await other.call(createLoader, '/rules/new');
  expect(page.body.lacks).toBe('errors.twitch.missingPermissions');
  const answer = await other.call(createAction, '/rules/new', { form: ruleForm({ confirmed: '1' }) });
  expect(answer.status).toBe(409);
  expect(answer.body.result.error).toMatchObject({ '': ['errors.twitch.missingPermissions'] });
});

test('Rewards are added by quantity, once per request, and can be removed', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await deposit(db, streamer, [asset(), asset(), asset()], Date.now() - 8 * day);
  const params = { id: ruleId };
  const page = await visitor.call(addLoader, `/rules/${ruleId}/rewards/add`, { params });
  expect(page.body.kinds).toMatchObject([{ key: caseKey, available: 3 }]);
  const form = { requestId: newId(Date.now()), item: caseKey, [`item:${caseKey}`]: '2' };
  const add = () => visitor.call(addAction, `/rules/${ruleId}/rewards/add`, { params, form });
  expect(await add()).toMatchObject({ location: `/rules/${ruleId}`, toast: 'messages.rewardsAdded' });
  expect(await add()).toMatchObject({ location: `/rules/${ruleId}`, toast: 'messages.rewardsAdded' });
  expect(await pool(ruleId)).toMatchObject({ free: 2 });

  const removal = { ...form, requestId: newId(Date.now()), [`item:${caseKey}`]: '1' };
  const remove = () =>
    visitor.call(removeAction, `/rules/${ruleId}/rewards/remove`, { params, form: removal });
  expect(await remove()).toMatchObject({ toast: 'messages.rewardsRemoved' });
  expect(await remove()).toMatchObject({ toast: 'messages.rewardsRemoved' });
  expect(await pool(ruleId)).toMatchObject({ free: 1, recalled: 1 });
});

test('Pieces that differ in wear are added one by one, also together with any of their kind', async () => {
  const worn = ['0.31', '0.2', '0.25'].map((wear) => asset('Demo case', { wear }));
  await deposit(db, streamer, worn, Date.now() - 9 * day);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const params = { id: ruleId };
  const page = await visitor.call(addLoader, `/rules/${ruleId}/rewards/add?each=1`, { params });
  expect(page.body.kinds).toMatchObject([
    { wear: '0.2', available: 1 },
    { wear: '0.25', available: 1 },
    { wear: '0.31', available: 1 },
  ]);
  const exact: string = page.body.kinds[1].key;
  const add = (picks: Record<string, string>) => {
    const form = new URLSearchParams({ requestId: newId(Date.now()), item: caseKey, ...picks });
    form.append('item', exact);
    form.append(`item:${exact}`, '1');
    return visitor.call(addAction, `/rules/${ruleId}/rewards/add`, { params, form });
  };
  expect(await add({ [`item:${caseKey}`]: '3' })).toMatchObject({ status: 409 });
  expect(await pool(ruleId)).toMatchObject({ free: 0 });
  // The oldest of its kind is the first of those deposited together, and not the exact one.
  expect(await add({ [`item:${caseKey}`]: '1' })).toMatchObject({ toast: 'messages.rewardsAdded' });
  const left = await visitor.call(addLoader, `/rules/${ruleId}/rewards/add?each=1`, { params });
  expect(left.body.kinds).toHaveLength(1);
  expect(left.body.kinds[0]).not.toMatchObject({ wear: '0.25' });
  expect(await add({ [`item:${caseKey}`]: '0' })).toMatchObject({ status: 409 });
});

test('The plus button without JavaScript only renders the form again', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await deposit(db, streamer, [asset()], Date.now() - 8 * day);
  const form = { requestId: newId(Date.now()), item: caseKey, [`item:${caseKey}`]: '0', more: caseKey };
  const answer = await visitor.call(addAction, '/x', { params: { id: ruleId }, form });
  expect(answer).toMatchObject({ status: 200, body: { amounts: { [caseKey]: 1 } } });
  expect(await pool(ruleId)).toMatchObject({ free: 0 });
});

test.each([
  ['nothing', { item: caseKey, [`item:${caseKey}`]: '0' }, 400, 'errors.rule.noQuantity'],
  ['more than there is', { item: caseKey, [`item:${caseKey}`]: '99' }, 409, 'errors.rule.notEnough'],
  ['a negative quantity', { item: caseKey, [`item:${caseKey}`]: '-2' }, 400, 'errors.trade.malformed'],
  [
    'an unknown kind',
    { item: '730-AAAAAAAAAAAA', 'item:730-AAAAAAAAAAAA': '1' },
    409,
    'errors.rule.notEnough',
  ],
])('Adding %s is refused, and nothing is added', async (_, fields, status, error) => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await deposit(db, streamer, [asset()], Date.now() - 8 * day);
  const form = { requestId: newId(Date.now()), ...(fields as Record<string, string>) };
  const answer = await visitor.call(addAction, '/x', { params: { id: ruleId }, form });
  expect(answer).toMatchObject({ status, body: { error } });
  expect(await pool(ruleId)).toMatchObject({ free: 0 });
});

test('Deleting a rule closes it, frees its rewards, and can be repeated', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 2 });
  const params = { id: ruleId };
  const confirm = await visitor.call(closeLoader, '/x', { params });
  expect(confirm.body.rule.pool.free).toBe(2);
  const close = () => visitor.call(closeAction, '/x', { params, form: {} });
  expect(await close()).toMatchObject({ location: '/rules', toast: 'messages.ruleDeleted' });
  expect(await close()).toMatchObject({ location: '/rules' });
  expect(await rules()).toMatchObject([{ state: 'closed', pool: { free: 0, recalled: 2 } }]);
  const late = await visitor.call(addAction, '/x', {
    params,
    form: { requestId: newId(Date.now()), item: caseKey, [`item:${caseKey}`]: '1' },
  });
  expect(late).toMatchObject({ status: 409, body: { error: 'errors.rule.closed' } });
});

test("Another streamer's rule is not found, whatever the action", async () => {
  const ruleId = await addRule(db, streamer, { rewards: 1 });
  const stranger = await addStreamer(db);
  await deposit(db, stranger, [asset()], Date.now() - 8 * day);
  const other = await visitorOf(stranger.userId);
  const form = { requestId: newId(Date.now()), item: caseKey, [`item:${caseKey}`]: '1' };
  for (const id of [ruleId, newId(Date.now()), 'no-id', "' or 1=1 --"]) {
    const params = { id };
    for (const loader of [ruleLoader, addLoader, removeLoader, closeLoader])
      expect((await other.call(loader, '/x', { params })).status).toBe(404);
    for (const action of [addAction, removeAction, closeAction])
      expect((await other.call(action, '/x', { params, form })).status).toBe(404);
  }
  expect(await pool(ruleId)).toMatchObject({ free: 1 });
  expect((await other.call(rulesLoader, '/rules')).body.page.rows).toEqual([]);
});

test('A rule shows its pool, its viewers and its promises', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 2 });
  const { body } = await visitor.call(ruleLoader, `/rules/${ruleId}?viewers=zzz&promises=zzz`, {
    params: { id: ruleId },
  });
  expect(body).toMatchObject({
    rule: { id: ruleId, pool: { free: 2 } },
    kinds: [{ marketHashName: 'Demo case', free: 2 }],
    viewers: { rows: [], total: 0 },
    promises: { rows: [] },
  });
  expect(JSON.stringify(body)).not.toContain('seed');
});
