import { asc } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { events } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { pruneEvents } from '#domain/outbox/prune-events.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';

/** More than one transaction deletes. */
const MANY = 5_001;

test('Events are deleted after a day, however many there are', async () => {
  await using db = await openTestDatabase();
  const eventAt = (atMs: number, subjectId: string) => ({
    id: newId(atMs),
    userId: 'ann',
    kind: 'items.changed',
    subjectId,
    atMs,
  });
  const old = Array.from({ length: MANY }, (_, place) => eventAt(START_MS - day - 1 - place, 'old'));
  const saved = [eventAt(START_MS - day, 'a day old'), eventAt(START_MS - minute, 'new')];
  await db.transaction(async (tx) => {
    for (let from = 0; from < MANY; from += 1000)
      await tx.insert(events).values(old.slice(from, from + 1000));
    await tx.insert(events).values(saved);
  });
  await pruneEvents(db, START_MS);
  const left = await db.read.select().from(events).orderBy(asc(events.atMs));
  expect(left.map(({ subjectId }) => subjectId)).toEqual(['a day old', 'new']);
});
