import { afterEach, beforeEach, expect, test } from 'vitest';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { listChances } from '#domain/draw/list-chances.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import type { AttachedKind } from '#domain/rule/attach-rewards.ts';
import { createRule, type RuleDraft } from '#domain/rule/create-rule.ts';
import { listRules } from '#domain/rule/list-rules.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import {
  addBot,
  addPerson,
  addStreamer,
  asset,
  deposit,
  draft,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';

let db: TestDatabase;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  await addBot(db);
  streamer = await addStreamer(db);
  await deposit(db, streamer, [asset(), asset(), asset('Pin')], START_MS - 8 * day);
});
afterEach(() => db.close());

const some = (marketHashName: string, quantity: number, weight?: number): AttachedKind => ({
  appId: 730,
  marketHashName,
  quantity,
  weight,
});
const open = (kinds: readonly AttachedKind[], facts: Partial<RuleDraft> = {}, requestId = newId(START_MS)) =>
  createRule(db, { requestId, userId: streamer.userId, draft: draft(facts), kinds }, START_MS);
const pools = async () => (await listRules(db, { ownerId: streamer.userId })).rows.map(({ pool }) => pool);

test('A rule opens with its rewards, and repeating the request adds none', async () => {
  const requestId = newId(START_MS);
  const kinds = [some('Demo case', 2), some('Pin', 1)];
  const answers = await Promise.all([open(kinds, {}, requestId), open(kinds, {}, requestId)]);
  expect(answers).toEqual([
    { ok: true, ruleId: requestId },
    { ok: true, ruleId: requestId },
  ]);
  expect(await pools()).toMatchObject([{ free: 3 }]);
});

test('Viewers who meet the rule already are promised its rewards as it opens', async () => {
  const viewer = await addPerson(db);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 7200]]);
  await open([some('Demo case', 2)], { watchMinutes: 60, watchScope: 'allTime' });
  expect(await pools()).toMatchObject([{ free: 1, promised: 1 }]);
});

test('A random rule opens with the weights of its kinds', async () => {
  const outcome = await open([some('Demo case', 2, 3), some('Pin', 1)], { type: 'random' });
  const ruleId = outcome.ok ? outcome.ruleId : '';
  const chances = (await listChances(db, [ruleId], START_MS)).get(ruleId) ?? [];
  expect(chances.map(({ marketHashName, chance }) => [marketHashName, chance]).sort()).toEqual([
    ['Demo case', 0.75],
    ['Pin', 0.25],
  ]);
});

test.each<[string, readonly AttachedKind[], Partial<RuleDraft>, string]>([
  ['more than there is of one kind', [some('Pin', 1), some('Demo case', 3)], {}, 'notEnough'],
  ['a kind that is not there', [some('Pin', 1), some('Key', 1)], {}, 'notEnough'],
  ['weights for one reward', [some('Pin', 1, 2)], {}, 'notRandom'],
  ['a weight of zero', [some('Pin', 1, 0)], { type: 'random' }, 'weightOutOfBounds'],
])('With %s neither rule nor rewards are stored', async (_, kinds, facts, code) => {
  expect(await open(kinds, facts)).toEqual({ ok: false, code });
  expect(await db.read.$count(rules)).toBe(0);
  expect(await db.read.$count(rewards)).toBe(0);
});

test('Two rules that open at once never share an item', async () => {
  const answers = await Promise.all([open([some('Pin', 1)]), open([some('Pin', 1)])]);
  expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(await db.read.$count(rules)).toBe(1);
  expect(await db.read.$count(items)).toBe(3);
});
