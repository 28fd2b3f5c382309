import { expect, test } from 'vitest';
import { day } from '#domain/kernel/time.ts';
import { listOddAnswers } from '#domain/odd-answer/list-odd-answers.ts';
import { MAX_ODD_ANSWERS, recordOddAnswers } from '#domain/odd-answer/record-odd-answers.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

const odd = (found: string, count = 1) => ({
  platform: 'steam' as const,
  place: 'IEconService/GetTradeStatus/v1',
  path: 'response.trades[].status',
  difference: 'value' as const,
  found,
  reaction: 'pending' as const,
  example: '{"status":"number"}',
  count,
});

test('A difference is stored once and counted, from whichever process it comes', async () => {
  await recordOddAnswers(db, [odd('13', 2), odd('14')], START_MS);
  await recordOddAnswers(db, [odd('13', 5)], START_MS + 1000);
  expect(await listOddAnswers(db.read)).toMatchObject([
    { ...odd('13', 7), firstSeenAtMs: START_MS, lastSeenAtMs: START_MS + 1000 },
    { ...odd('14', 1), firstSeenAtMs: START_MS, lastSeenAtMs: START_MS },
  ]);
});

test('The number and the size of what is stored are bounded', async () => {
  const many = Array.from({ length: MAX_ODD_ANSWERS }, (_, number) => odd(`value ${number}`));
  await recordOddAnswers(db, many, START_MS);
  await recordOddAnswers(
    db,
    [odd('newest'), { ...odd('x'.repeat(500)), example: 'y'.repeat(5000) }],
    START_MS + 1,
  );
  const stored = await listOddAnswers(db.read);
  expect(stored).toHaveLength(MAX_ODD_ANSWERS);
  expect(stored.slice(0, 2).map(({ found, example }) => [found.length, example])).toContainEqual([60, null]);
  expect(stored.map(({ found }) => found)).toContain('newest');
});

test('Neither a noisy platform nor a noisy method pushes out the differences of others', async () => {
  const others = [
    { ...odd('quiet method'), place: 'IEconService/GetTradeHistory/v1' },
    { ...odd('quiet platform'), platform: 'twitch' as const, place: '/helix/streams' },
    { ...odd('quieter platform'), platform: 'stripe' as const, place: 'invoice' },
  ];
  await recordOddAnswers(db, others, START_MS);
  const places = Array.from({ length: 2 * MAX_ODD_ANSWERS }, (_, number) => ({
    ...odd('noise'),
    place: `method ${number}`,
  }));
  await recordOddAnswers(db, places, START_MS + 2);
  const values = Array.from({ length: 2 * MAX_ODD_ANSWERS }, (_, number) => odd(`noise ${number}`));
  for (const platform of ['steam', 'twitch'] as const)
    await recordOddAnswers(
      db,
      values.map((each) => ({ ...each, platform })),
      START_MS + 3,
    );
  const stored = await listOddAnswers(db.read);
  expect(stored).toHaveLength(MAX_ODD_ANSWERS);
  const found = stored.map((each) => each.found);
  expect(found).toEqual(expect.arrayContaining(['quiet platform', 'quieter platform']));
  expect(stored.filter(({ platform }) => platform === 'twitch').length).toBeGreaterThan(40);
  expect(
    stored.filter(({ platform, found: each }) => platform === 'steam' && each === 'noise').length,
  ).toBeGreaterThan(40);
});

test('Of one platform, a method with one difference keeps it beside one with hundreds', async () => {
  await recordOddAnswers(
    db,
    [{ ...odd('quiet method'), place: 'IEconService/GetTradeHistory/v1' }],
    START_MS,
  );
  const values = Array.from({ length: 2 * MAX_ODD_ANSWERS }, (_, number) => odd(`noise ${number}`));
  await recordOddAnswers(db, values, START_MS + 1);
  const stored = await listOddAnswers(db.read);
  expect(stored.map((each) => each.found)).toContain('quiet method');
});

test('A difference that was not seen for ninety days is dropped', async () => {
  await recordOddAnswers(db, [odd('old')], START_MS);
  await recordOddAnswers(db, [odd('new')], START_MS + 91 * day);
  expect(await listOddAnswers(db.read)).toMatchObject([{ found: 'new' }]);
});

test('A difference is new only the first time, and again once it was forgotten', async () => {
  const paths = async (odds: Parameters<typeof recordOddAnswers>[1], nowMs: number) =>
    (await recordOddAnswers(db, odds, nowMs)).map(({ found, count }) => [found, count]);
  expect(await paths([odd('13', 2), odd('14')], START_MS)).toEqual([
    ['13', 2],
    ['14', 1],
  ]);
  expect(await paths([odd('14', 3), odd('15', 4)], START_MS)).toEqual([['15', 4]]);
  expect(await paths([odd('13'), odd('14'), odd('15')], START_MS + 1000)).toEqual([]);
  await recordOddAnswers(db, [odd('15')], START_MS + 92 * day);
  expect(await paths([odd('13', 6)], START_MS + 92 * day)).toEqual([['13', 6]]);
});
