import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { type Correction, correctRule } from '#domain/rule/correct-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { succeedRule } from '#domain/rule/succeed-rule.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { chainAnew, type PublishedPage, publishedOf, verifyPages } from '#tests/support/published-draws.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { watchFor } from '#tests/support/watching.ts';

let db: TestDatabase;
let streamer: Person;
let successorId: string;
/**
 * Two draws on two pages. The rule became harder before the first and easier after it, and a harder one took its place.
 */
let pages: PublishedPage[];

const wantedOf = async (ruleId: string, change: Partial<Correction>) => {
  const rule = await getRule(db, { ruleId, ownerId: streamer.userId });
  if (!rule) throw new Error('no such rule');
  return { requestId: newId(START_MS), ruleId, userId: streamer.userId, wanted: { ...rule, ...change } };
};

beforeAll(async () => {
  db = await openTestDatabase();
  await addBot(db);
  streamer = await addStreamer(db);
  const ruleId = await addRandomRule(db, streamer, { 'Demo case': 3, 'Demo knife': 3 });
  const correct = async (change: Partial<Correction>, nowMs: number) =>
    expect(await correctRule(db, await wantedOf(ruleId, change), nowMs)).toMatchObject({ ok: true });
  const draw = async (nowMs: number) => {
    const { twitchId } = await addPerson(db);
    await watchFor(db, streamer.twitchId, [[twitchId, 90 * 60]]);
    await evaluateChannel(db, streamer.twitchId, nowMs);
  };
  await correct({ watchMinutes: 90 }, START_MS);
  await draw(START_MS + hour);
  await correct({ watchMinutes: 80, name: 'Evenings' }, START_MS + 2 * hour);
  await draw(START_MS + 3 * hour);
  await correct({ watchMinutes: 70 }, START_MS + 4 * hour);
  const opened = await succeedRule(
    db,
    { ...(await wantedOf(ruleId, { watchMinutes: 300 })), again: false },
    START_MS + 5 * hour,
  );
  if (!opened.ok) throw new Error(opened.code);
  successorId = opened.ruleId;
  pages = await publishedOf(db, ruleId, { draws: 1, candidates: 100 });
});
afterAll(() => db.close());

test('The script says how many corrections are listed, and which rule took its place', async () => {
  expect(pages.map(({ corrections }) => corrections.map(({ afterDraw }) => afterDraw))).toEqual([
    [0, 1],
    [2],
  ]);
  const { status, said } = await verifyPages(pages);
  expect(said).toContain('Corrections of the rule listed: 3.');
  expect(said).toContain(`A harder rule took its place: ${successorId}`);
  expect(status).toBe(0);
});

test.each<[string, number | null, number]>([
  ['of a rule without time to watch is not', null, 0],
  ['of a rule with it is', 70, 1],
])('A stricter start of counting %s reported as harder', async (_, watchMinutes, expected) => {
  const made = structuredClone(pages);
  const [one, other] = made;
  if (!one || !other) throw new Error('there are no two pages');
  one.corrections = [];
  const [last] = other.corrections;
  if (!last) throw new Error('there is no correction');
  other.corrections = [{ ...last, before: { watchScope: 'allTime' }, after: { watchScope: 'sinceRule' } }];
  for (const page of made) Object.assign(page.rule.terms, { watchMinutes, watchScope: 'sinceRule' });
  chainAnew(made);
  const { status, said } = await verifyPages(made);
  expect(status).toBe(expected);
  expect(said.includes('watchScope became harder: from allTime to sinceRule')).toBe(expected === 1);
});

test.each<[string, string, (one: PublishedPage, other: PublishedPage) => void]>([
  [
    'a correction is left out',
    'watchMinutes goes on from 80, but it was 90',
    (one) => void one.corrections.pop(),
  ],
  [
    'the last correction is left out',
    'the rule has watchMinutes 70, but was corrected to 80',
    (_, other) => void other.corrections.pop(),
  ],
  [
    'the rule became harder after a draw',
    'watchMinutes became harder: from 80 to 95',
    (_, other) => {
      for (const each of other.corrections) each.after = { watchMinutes: 95 };
      other.rule.terms.watchMinutes = 95;
    },
  ],
  [
    'a correction stands before the draw that it followed',
    'it is not in its place',
    (_, other) => {
      for (const each of other.corrections) each.afterDraw = 0;
    },
  ],
])('If %s, the script says so', async (_, fault, change) => {
  const made = structuredClone(pages);
  const [one, other] = made;
  if (!one || !other) throw new Error('there are no two pages');
  change(one, other);
  chainAnew(made);
  const { status, said } = await verifyPages(made);
  expect(said).toContain(fault);
  expect(status).toBe(1);
});
