import { expect, test } from 'vitest';
import { countAttempts } from '#domain/identity/access/count-attempts.ts';
import { minute } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

const add = (added: Record<string, number>, systemMs = START_MS) =>
  countAttempts(db, { added: new Map(Object.entries(added)), windowMs: minute }, systemMs);

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
