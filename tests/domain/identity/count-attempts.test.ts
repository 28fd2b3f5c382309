import { expect, test } from 'vitest';
import { countAttempts } from '#domain/identity/access/count-attempts.ts';
import { minute } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

/** Adds attempts whose windows began at this time, or as many milliseconds before. */
const add = (added: Record<string, number>, systemMs = START_MS, begunMs = 0) => {
  const endsAtMs = systemMs - begunMs + minute;
  const rows = Object.entries(added).map(([key, count]) => ({ key, count, endsAtMs }));
  return countAttempts(db, { added: rows, windowMs: minute }, systemMs);
};

test('Attempts of several keys are added to what others counted, each in its own window', async () => {
  await add({ one: 3 });
  const endsAtMs = START_MS + minute;
  const later = await add({ two: 5, one: 4 }, START_MS + 10);
  expect(later.toSorted((one, other) => one.count - other.count)).toEqual([
    { key: 'two', count: 5, endsAtMs: endsAtMs + 10 },
    { key: 'one', count: 7, endsAtMs },
  ]);
  expect(await add({ one: 2 }, endsAtMs)).toEqual([{ key: 'one', count: 2, endsAtMs: endsAtMs + minute }]);
});

test('A window ends when the first of those ends who count in it', async () => {
  await add({ one: 3 }, START_MS, 1_000);
  expect(await add({ one: 4 }, START_MS, 7_000)).toEqual([
    { key: 'one', count: 7, endsAtMs: START_MS + minute - 7_000 },
  ]);
});

test('A window that ends later than any that begins now is over', async () => {
  await add({ one: 3 }, START_MS + 1);
  expect(await add({ one: 4 })).toEqual([{ key: 'one', count: 4, endsAtMs: START_MS + minute }]);
});
