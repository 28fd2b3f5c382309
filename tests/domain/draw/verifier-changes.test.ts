import { afterAll, beforeAll, expect, test } from 'vitest';
import { decodeCursor } from '#domain/kernel/page.ts';
import { hour } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { detachRewards } from '#domain/rule/detach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import { type ChangesPage, exportChanges } from '#domain/view/export-proof.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { chainAnew, type PublishedPage, publishedOf, verifyPages } from '#tests/support/published-draws.ts';
import { addRandomRule, drawsOf } from '#tests/support/random-rule.ts';
import { watchFor } from '#tests/support/watching.ts';

let db: TestDatabase;
let ruleId: string;
/** Six draws on two pages; after each of them both kinds get another weight, and after the third one kind is removed. */
let pages: PublishedPage[];

beforeAll(async () => {
  db = await openTestDatabase();
  await addBot(db);
  const streamer = await addStreamer(db);
  ruleId = await addRandomRule(db, streamer, {
    'Demo case': 9,
    'Demo knife': 9,
    'Demo mug': 9,
    'Demo pin': 9,
  });
  const owned = { ruleId, userId: streamer.userId };
  for (let number = 1; number <= 6; number++) {
    const viewer = await addPerson(db);
    const nowMs = START_MS + number * hour;
    await watchFor(db, streamer.twitchId, [[viewer.twitchId, 600]]);
    await evaluateChannel(db, streamer.twitchId, nowMs);
    const weights = ['Demo case', 'Demo knife'].map((marketHashName) => ({
      appId: 730,
      marketHashName,
      weight: number + 1,
    }));
    await setKindWeights(db, { ...owned, weights }, nowMs + 1);
    if (number !== 3) continue;
    // A kind that this draw did not take; otherwise the draw alone would explain why it is gone.
    const drawn = (await drawsOf(db, ruleId)).map(({ candidates, rewardId }) =>
      candidates.find((each) => each.rewardId === rewardId),
    );
    const removed = drawn[2]?.marketHashName === 'Demo mug' ? 'Demo pin' : 'Demo mug';
    const left = 9 - drawn.filter((each) => each?.marketHashName === removed).length;
    const kinds = [{ appId: 730, marketHashName: removed, quantity: left }];
    await detachRewards(db, { ...owned, kinds }, nowMs + 2);
  }
  await closeRule(db, owned, START_MS + 8 * hour);
  pages = await publishedOf(db, ruleId, { draws: 3, candidates: 100 });
});
afterAll(() => db.close());

function tampered(change: (first: PublishedPage, second: PublishedPage) => void): PublishedPage[] {
  const made = structuredClone(pages);
  const [first, second] = made;
  if (!first || !second) throw new Error('there are no two pages');
  change(first, second);
  chainAnew(made);
  return made;
}

test('The script says how many changes are listed and that each weight fits, and what it cannot know', async () => {
  const { status, said } = await verifyPages(pages);
  expect(said).toContain('VERIFIED: 6 draws');
  expect(said).toContain('Changes listed between draws: 13. 5 lists compared with the one before');
  expect(said).not.toContain('without a listed change');
  expect(said).toContain('is the word of the site');
  expect(status).toBe(0);
});

const first = (page: PublishedPage) => {
  const [change] = page.changes;
  if (!change) throw new Error('the page has no change');
  return change;
};

test.each<[string, string, (one: PublishedPage, other: PublishedPage) => void]>([
  [
    'a change is left out',
    'weighs 2, but 1 before, and no change is listed',
    (one) => void one.changes.shift(),
  ],
  [
    'the last change of a page is left out',
    'draw 4: "Demo knife" weighs 4, but 3 before',
    (one) =>
      void one.changes.splice(
        one.changes.findIndex(({ afterDraw }) => afterDraw === 3),
        2,
      ),
  ],
  [
    'a change says another weight before',
    'goes on from the weight 5, but it was 1',
    (one) => {
      first(one).weight = { before: 5, after: 2 };
    },
  ],
  [
    'a change says another weight after',
    'weighs 2, but 9 before',
    (one) => {
      first(one).weight = { before: 1, after: 9 };
    },
  ],
  [
    'a change is put behind another draw',
    'where it does not belong',
    (one) => {
      first(one).afterDraw = 4;
    },
  ],
  [
    'changes are out of order',
    'is listed after draw 2, where it does not belong',
    (one) => void one.changes.reverse(),
  ],
  [
    'a change is of another time',
    'its time is not between',
    (one) => {
      Object.assign(first(one), { at: '2026-01-09T00:00:00.000Z', lastAt: '2026-01-09T00:00:00.000Z' });
    },
  ],
  [
    'an amount does not fit its cause',
    'it says "removed" of 4 rewards',
    (one) => {
      for (const change of one.changes) if (change.cause === 'removed') change.added = 4;
    },
  ],
  ['there is no list', 'does not list what changed', (one) => void Reflect.deleteProperty(one, 'changes')],
])('The script fails if %s', async (_, why, change) => {
  expect(await verifyPages(tampered(change))).toMatchObject({
    status: 1,
    said: expect.stringContaining(why),
  });
});

test('A list that changed without a listed change is counted, since locks end and are not listed', async () => {
  const made = tampered((one) => {
    one.changes = one.changes.filter(({ cause }) => cause !== 'removed');
  });
  const { status, said } = await verifyPages(made);
  expect(said).toContain('A kind came into a list or left it without a listed change once');
  expect(status).toBe(0);
});

test('Lists of draws before the record began are not compared', async () => {
  const made = tampered((one, other) => {
    for (const page of [one, other]) page.changesFrom = 3;
    one.changes = one.changes.filter(({ afterDraw }) => afterDraw === 3);
  });
  const { status, said } = await verifyPages(made);
  expect(said).toContain('2 lists compared with the one before');
  expect(status).toBe(0);
});

test('More changes than a page holds come in files of their own, and none may be missing', async () => {
  const [one, other] = await publishedOf(db, ruleId, { draws: 3, candidates: 100, changes: 3 });
  const more: ChangesPage[] = [];
  for (let next = one?.moreChanges ?? null; next !== null; ) {
    const place = decodeCursor(next, ['number', 'text']);
    const page = await exportChanges(db, { ruleId, after: 0, upTo: 3, place }, 3);
    more.push(page);
    next = page.moreChanges;
  }
  expect(more.map(({ changes }) => changes.length)).toEqual([3, 1]);
  const rest = { ...other, moreChanges: null, changes: pages[1]?.changes };
  expect(await verifyPages([one, ...more, rest])).toMatchObject({ status: 0 });
  for (const missing of [
    [one, more[0], rest],
    [one, rest],
    [one, ...more.slice(0, 1)],
    [...more, one, rest],
  ])
    expect(await verifyPages(missing)).toMatchObject({ status: 1 });
});
