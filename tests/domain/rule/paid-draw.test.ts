import { afterEach, beforeEach, expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { createRule, type RuleDraft } from '#domain/rule/create-rule.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addStreamer, draft, type Person, START_MS } from '#tests/support/fixtures.ts';

let db: TestDatabase;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  streamer = await addStreamer(db);
});
afterEach(() => db.close());

const open = (facts: Partial<RuleDraft>, paidDrawsAllowed?: boolean) =>
  createRule(
    db,
    {
      requestId: newId(START_MS),
      userId: streamer.userId,
      draft: draft(facts),
      ...(paidDrawsAllowed !== undefined && { paidDrawsAllowed }),
    },
    START_MS,
  );

const paid: [string, Partial<RuleDraft>][] = [
  ['a subscription', { subscriberTier: 1 }],
  ['channel points', { pointsCost: 500 }],
  ['both', { subscriberTier: 2, pointsCost: 500 }],
];

test.each(paid)('A random reward for %s is refused, unless the operator allows it', async (_name, facts) => {
  const refused = { ok: false, code: 'paidDraw' };
  expect(await open({ type: 'random', ...facts })).toEqual(refused);
  expect(await open({ type: 'random', ...facts }, false)).toEqual(refused);
  expect(await open({ type: 'random', ...facts }, true)).toMatchObject({ ok: true });
});

test.each(paid)('One reward for %s is not a lottery', async (_name, facts) => {
  expect(await open({ type: 'one', ...facts })).toMatchObject({ ok: true });
});

test('A random reward for free conditions is allowed', async () => {
  expect(await open({ type: 'random', watchMinutes: 60, followDays: 7 })).toMatchObject({ ok: true });
});
