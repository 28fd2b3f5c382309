import { afterAll, beforeEach, expect, test } from 'vitest';
import { action, loader } from '#app/routes/rules/new-rule.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { listRuleRewards } from '#domain/rule/list-rule-rewards.ts';
import { listRules } from '#domain/rule/list-rules.ts';
import { addBot, addStreamer, asset, deposit, type Person } from '#tests/support/fixtures.ts';
import { owned } from '#tests/support/looking.ts';
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
const cases = kindKey({ appId: 730, marketHashName: 'Demo case' });
const pin = kindKey({ appId: 730, marketHashName: 'Pin' });

beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  visitor = await visitorOf(streamer.userId);
  await deposit(db, streamer, [asset(), asset(), asset('Pin')], Date.now() - 8 * day);
});

type Fields = Record<string, string | string[]>;
const form = (more: Fields = {}): Fields => ({
  requestId: newId(Date.now()),
  name: 'Ten hours together',
  type: 'one',
  watch: 'on',
  watchAmount: '10',
  watchUnit: 'hours',
  watchScope: 'sinceRule',
  claimTimeoutHours: '72',
  item: [cases, pin],
  [`item:${cases}`]: '0',
  [`item:${pin}`]: '0',
  ...more,
});
const send = (fields: Fields, path = '/rules/new') => {
  const pairs = Object.entries(fields).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  return visitor.call(action, path, { form: new URLSearchParams(pairs) });
};
const rules = async () => (await listRules(db, { ownerId: streamer.userId })).rows;

test('The form offers what is available, and the rule opens with what was picked', async () => {
  const page = await visitor.call(loader, '/rules/new');
  expect(page.body.kinds).toMatchObject([
    { key: cases, available: 2 },
    { key: pin, available: 1 },
  ]);
  const review = await send(form({ [`item:${cases}`]: '2' }));
  expect(review.body.review.rewards).toMatchObject([{ key: cases, quantity: 2, chance: null }]);
  expect(await rules()).toEqual([]);
  const answer = await send(review.body.review.fields);
  expect(answer.toast).toBe('messages.ruleCreated');
  // There is something to tell viewers about.
  expect(answer.location).toMatch(/^\/rules\/[\w-]+\/announce$/);
  expect(await rules()).toMatchObject([{ pool: { free: 2 } }]);
  expect(await visitor.call(loader, '/rules/new')).toMatchObject({ body: { kinds: [{ key: pin }] } });
});

test('Pieces that differ in wear are picked one by one, together with any of their kind', async () => {
  const worn = ['0.31', '0.2', '0.25'].map((wear) => asset('Worn rifle', { wear }));
  await deposit(db, streamer, worn, Date.now() - 8 * day);
  const rifles = kindKey({ appId: 730, marketHashName: 'Worn rifle' });
  const page = await visitor.call(loader, '/rules/new?each=1');
  expect(page.body).toMatchObject({ each: true, weights: null });
  const pieces: { key: string; wear: string }[] = page.body.kinds.slice(2);
  expect(pieces).toMatchObject([{ wear: '0.2' }, { wear: '0.25' }, { wear: '0.31' }]);
  const exact = pieces[1]?.key ?? '';
  const picks = { item: [rifles, exact, cases], [`item:${exact}`]: '1', [`item:${cases}`]: '2' };
  // The other way to pick shows the form again, as it was filled in.
  const again = await send(form({ ...picks, narrow: '1', [`item:${rifles}`]: '' }));
  expect(again.body).toMatchObject({ result: { initialValue: { watchAmount: '10' } } });
  expect(again.body.picker.amounts).toEqual({ [exact]: 1, [cases]: 2 });
  const tooMany = await send(form({ ...picks, [`item:${rifles}`]: '3', confirmed: '1' }));
  expect([tooMany.status, await rules()]).toEqual([409, []]);
  const review = await send(form({ ...picks, type: 'random', [`item:${rifles}`]: '1' }));
  const [piece, ...kinds] = review.body.review.rewards;
  expect(piece).toMatchObject({ key: exact, wear: '0.25', quantity: 1, chance: null });
  // The piece is one of its kind’s, which is drawn as a whole.
  expect(kinds).toMatchObject([
    { key: rifles, chance: 0.5 },
    { key: cases, chance: 0.5 },
  ]);
  expect((await send(review.body.review.fields)).toast).toBe('messages.ruleCreated');
  const left = (await visitor.call(loader, '/rules/new?each=1')).body.kinds;
  expect(left).toMatchObject([{ key: pin }, { name: 'Worn rifle', available: 1 }]);
  expect(left[1].wear).not.toBe('0.25');
});

test('Picks of kinds and of pieces stay when the other way to pick is shown, and none of more than there is', async () => {
  const worn = ['0.31', '0.2', '0.25'].map((wear) => asset('Worn rifle', { wear }));
  await deposit(db, streamer, worn, Date.now() - 8 * day);
  const rifles = kindKey({ appId: 730, marketHashName: 'Worn rifle' });
  const exact = (await visitor.call(loader, '/rules/new?each=1')).body.kinds[2].key;
  const picks = { item: [rifles, exact, cases], [`item:${rifles}`]: '7', [`item:${exact}`]: '1' };
  const othersAt = async (path: string, more: Fields) =>
    (await send(form({ ...picks, ...more }), path)).body.picker.others;
  const kind = { key: rifles, quantity: 3 };
  const piece = { key: exact, quantity: 1 };
  expect(await othersAt('/rules/new?each=1', { narrow: '1' })).toEqual([kind]);
  expect(await othersAt('/rules/new', { narrow: '1' })).toEqual([piece]);
  // The same when the form comes back for another reason.
  expect(await othersAt('/rules/new?each=1', { edit: '1' })).toEqual([kind]);
  expect(await othersAt('/rules/new', { name: '' })).toEqual([piece]);
  // Items that are taken by now cannot be removed by hand.
  const unknown = { item: '730-AAAAAAAAAAAA', 'item:730-AAAAAAAAAAAA': '1' };
  expect(await othersAt('/rules/new', unknown)).toEqual([]);
});

test('A first rule begins with all that is available, where it is asked for', async () => {
  const { body } = await visitor.call(loader, '/rules/new?rewards=all');
  expect(body.picker.amounts).toEqual({ [cases]: 2, [pin]: 1 });
  expect((await visitor.call(loader, '/rules/new')).body.picker.amounts).toEqual({});
});

test('Confirming twice opens one rule with its rewards once, even if none is left', async () => {
  const fields = form({ [`item:${cases}`]: '2', [`item:${pin}`]: '1', confirmed: '1' });
  const [first, second] = [await send(fields), await send(fields)];
  expect(second.location).toBe(first.location);
  expect(await rules()).toMatchObject([{ pool: { free: 3 } }]);
});

test('A random rule shows the chances of what was picked, and opens with its weights', async () => {
  const weighed = { type: 'random', [`item:${cases}`]: '1', [`weight:${cases}`]: '3' };
  const fields = form({ ...weighed, [`item:${pin}`]: '1', [`weight:${pin}`]: '1' });
  const review = await send(fields);
  expect(review.body.review.rewards).toMatchObject([{ chance: 0.75 }, { chance: 0.25 }]);
  await send(review.body.review.fields);
  const [rule] = await rules();
  expect(
    (await listRuleRewards(db, owned(rule?.id ?? ''))).map(({ name, weight }) => [name, weight]).sort(),
  ).toEqual([
    ['Demo case', 3],
    ['Pin', 1],
  ]);
});

test.each<[string, Fields, number, string]>([
  ['more than there is', { [`item:${cases}`]: '3' }, 409, 'errors.rule.notEnough'],
  [
    'an unknown kind',
    { item: '730-AAAAAAAAAAAA', 'item:730-AAAAAAAAAAAA': '1' },
    409,
    'errors.rule.notEnough',
  ],
  ['a negative quantity', { [`item:${cases}`]: '-1' }, 400, 'errors.trade.malformed'],
  [
    'a weight of zero',
    { type: 'random', [`item:${pin}`]: '1', [`weight:${pin}`]: '0' },
    400,
    'errors.rule.weight',
  ],
])('A rule with %s is refused before and after its review', async (_, more, status, error) => {
  for (const fields of [form(more), form({ ...more, confirmed: '1' })]) {
    const answer = await send(fields);
    expect(answer).toMatchObject({ status, body: { result: { error: { '': [error] } } } });
  }
  expect(await rules()).toEqual([]);
});

test('Without JavaScript every button of the picker shows the form again and keeps the rest', async () => {
  const drawn = async (more: Fields) => (await send(form({ name: '', ...more }))).body;
  expect(await drawn({ more: pin })).toMatchObject({
    picker: { amounts: { [pin]: 1 } },
    result: { initialValue: { watchAmount: '10' } },
  });
  expect(await drawn({ more: pin })).not.toHaveProperty('result.error');
  const all = (await drawn({ whole: cases })).picker.amounts[cases];
  expect(all).toBeGreaterThanOrEqual(2);
  const shown = await drawn({ whole: 'shown', unseen: pin, [`item:${pin}`]: '1' });
  expect(shown.picker.amounts).toMatchObject({ [pin]: 1, [cases]: all });
  expect(await drawn({ narrow: '1', search: 'pin', order: 'rarity', showAll: '1' })).toMatchObject({
    picker: { search: 'pin', order: 'rarity', all: true },
  });
});

test('An error elsewhere keeps the picked quantities', async () => {
  const answer = await send(form({ name: '', [`item:${cases}`]: '2' }));
  expect(answer).toMatchObject({ status: 400, body: { picker: { amounts: { [cases]: 2 } } } });
});
