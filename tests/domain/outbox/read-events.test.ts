import { afterEach, beforeEach, expect, test } from 'vitest';
import { events } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { announce } from '#domain/outbox/announce.ts';
import {
  newestEventId,
  OVERLAP_MS,
  overlapBefore,
  readEvents,
  resumeAfter,
} from '#domain/outbox/read-events.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const report = (userId: string, subjectId: string, nowMs: number) =>
  db.transaction((tx) => announce(tx, [{ userId, kind: 'items.changed', subjectId }], nowMs));
const subjects = async (asked: Parameters<typeof readEvents>[1]) =>
  (await readEvents(db, asked)).map((event) => event.subjectId);

test('Events are read in order, after a given one, for everyone or for one user', async () => {
  expect(await newestEventId(db)).toBeNull();
  await report('ann', 'first', START_MS);
  await report('bob', 'second', START_MS + 1);
  await report('ann', 'third', START_MS + 2);
  expect(await subjects({ afterId: null })).toEqual(['first', 'second', 'third']);
  expect(await subjects({ afterId: null, userId: 'ann' })).toEqual(['first', 'third']);
  expect(await subjects({ afterId: null, limit: 2 })).toEqual(['first', 'second']);
  const newest = await newestEventId(db);
  expect(await subjects({ afterId: newest })).toEqual([]);
});

test('A reader goes back far enough to find late commits, and not to the beginning', async () => {
  await report('ann', 'long ago', START_MS - OVERLAP_MS - 1);
  await report('ann', 'now', START_MS);
  const newest = await newestEventId(db);
  const late = { userId: 'ann', kind: 'items.changed', subjectId: 'late', atMs: START_MS - 100 };
  await db.transaction(async (tx) => {
    await tx.insert(events).values({ id: newId(START_MS - 100), ...late });
  });
  expect(await subjects({ afterId: newest })).toEqual([]);
  expect(await subjects({ afterId: overlapBefore(newest!) })).toEqual(['late', 'now']);
});

test('A reader resumes after what it has read, or earlier while a commit may still be late', async () => {
  await report('ann', 'now', START_MS);
  const newest = (await newestEventId(db))!;
  expect(resumeAfter(newest, START_MS + OVERLAP_MS + 1)).toBe(newest);
  const late = { userId: 'ann', kind: 'items.changed', subjectId: 'late', atMs: START_MS - 100 };
  await db.transaction(async (tx) => {
    await tx.insert(events).values({ id: newId(START_MS - 100), ...late });
  });
  expect(await subjects({ afterId: resumeAfter(newest, START_MS) })).toEqual(['late', 'now']);
  expect(await subjects({ afterId: resumeAfter(newest, START_MS + OVERLAP_MS + 1) })).toEqual([]);
});
