import { afterEach, beforeEach, expect, test } from 'vitest';
import { events } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import { type EventFollower, followEvents } from '#domain/outbox/follow-events.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

/** Commits events with these times together; an event is identified by its place among all. */
let made = 0;
async function commit(...momentsMs: number[]): Promise<string[]> {
  const rows = momentsMs.map((atMs) => ({
    id: newId(atMs),
    userId: 'ann',
    kind: 'items.changed',
    subjectId: String(made++),
    atMs,
  }));
  await db.transaction(async (tx) => {
    for (let from = 0; from < rows.length; from += 1000)
      await tx.insert(events).values(rows.slice(from, from + 1000));
  });
  return rows.map(({ subjectId }) => subjectId);
}

async function reported(follower: EventFollower, systemMs = 0): Promise<string[]> {
  const subjects: string[] = [];
  await follower.readOn(systemMs, ({ subjectId }) => subjects.push(subjectId));
  return subjects;
}

async function begun(...options: [{ maxRemembered: number }?]): Promise<EventFollower> {
  const follower = followEvents(db, ...options);
  await follower.begin(0);
  return follower;
}

/** Writes something other than an event, which wakes the follower. */
const stir = () => commit(START_MS - day);

test('Earlier events are not reported, and later ones are reported once', async () => {
  await commit(START_MS - 1, START_MS);
  const follower = await begun();
  expect(await reported(follower)).toEqual([]);
  const first = await commit(START_MS + 1, START_MS + 2);
  expect(await reported(follower)).toEqual(first);
  const second = await commit(START_MS + 3);
  expect(await reported(follower)).toEqual(second);
  expect(await reported(follower)).toEqual([]);
});

test('In a database without events the first one is reported', async () => {
  const follower = await begun();
  const first = await commit(START_MS);
  expect(await reported(follower)).toEqual(first);
});

test('Of a burst of 25,000 events each is reported once, also when the database changes again', async () => {
  await commit(START_MS);
  const follower = await begun();
  const burst = await commit(
    ...Array.from({ length: 25_000 }, (_, place) => START_MS + Math.floor(place / 10)),
  );
  expect(await reported(follower)).toEqual(burst);
  await stir();
  expect(await reported(follower)).toEqual([]);
});

test('An event committed late is reported once, between polls and during a burst', async () => {
  await commit(START_MS);
  const follower = await begun();
  const early = await commit(START_MS + 3 * second);
  expect(await reported(follower)).toEqual(early);
  const late = await commit(START_MS + 500, START_MS + 2 * second);
  expect((await reported(follower)).sort()).toEqual(late.sort());
  const burst = await commit(...Array.from({ length: 1200 }, (_, place) => START_MS + 4 * second + place));
  const amid = await commit(START_MS + second, START_MS + 4 * second + 600);
  expect((await reported(follower)).sort()).toEqual([...burst, ...amid].sort());
  await stir();
  expect(await reported(follower)).toEqual([]);
});

test('After a minute of silence, known events are not read again, and new ones are reported as before', async () => {
  await commit(START_MS);
  const follower = await begun();
  const first = await commit(START_MS + 1);
  expect(await reported(follower)).toEqual(first);
  await stir();
  expect(await reported(follower, minute)).toEqual([]);
  const late = await commit(START_MS - 1);
  expect(await reported(follower, minute)).toEqual(late);
  await stir();
  expect(await reported(follower, 2 * minute + 1)).toEqual([]);
  const next = await commit(START_MS + 2);
  expect(await reported(follower, 2 * minute + 1)).toEqual(next);
});

test('In a flood beyond the memory limit nothing is reported twice', async () => {
  await commit(START_MS);
  const follower = await begun({ maxRemembered: 100 });
  const flood = await commit(...Array.from({ length: 700 }, (_, place) => START_MS + 1 + place));
  expect(await reported(follower)).toEqual(flood);
  const next = await commit(START_MS + 650, START_MS + 800);
  expect((await reported(follower)).sort()).toEqual(next.sort());
  await stir();
  expect(await reported(follower)).toEqual([]);
});

test('A failed reading is made up for by the next one', async () => {
  await commit(START_MS);
  let fails = false;
  const read = { ...db };
  Object.defineProperty(read, 'read', {
    get: () => {
      if (fails) throw new Error('demo trouble');
      return db.read;
    },
  });
  const follower = followEvents(read);
  await follower.begin(0);
  const missed = await commit(START_MS + 1);
  fails = true;
  await expect(reported(follower)).rejects.toThrow('demo trouble');
  fails = false;
  expect(await reported(follower)).toEqual(missed);
});

test('A follower that begins again reports neither what it knew nor what happened meanwhile', async () => {
  await commit(START_MS);
  const follower = await begun();
  await reported(follower);
  await commit(START_MS + 1);
  await follower.begin(0);
  expect(await reported(follower)).toEqual([]);
  await follower.begin(0);
  const next = await commit(START_MS + 2);
  expect(await reported(follower)).toEqual(next);
});

/** A follower that knows events of three readings, all within the overlap. */
async function knowing() {
  let statements = 0;
  const counted = { ...db };
  Object.defineProperty(counted, 'read', {
    get() {
      statements += 1;
      return db.read;
    },
  });
  const follower = followEvents(counted);
  await follower.begin(0);
  await commit(...Array.from({ length: 1200 }, (_, place) => START_MS + 2 * place));
  await reported(follower);
  return {
    /** Reads on, and counts the statements that this takes. */
    async read(): Promise<{ subjects: string[]; statements: number }> {
      statements = 0;
      const subjects = await reported(follower);
      return { subjects, statements };
    },
  };
}

test('Known events are counted, and not read again, while only newer ones come', async () => {
  const { read } = await knowing();
  const next = await commit(START_MS + 3 * second);
  expect(await read()).toEqual({ subjects: next, statements: 2 });
  await stir();
  expect(await read()).toEqual({ subjects: [], statements: 2 });
});

test('An event committed late, with a lower id than known ones, is found, and then nothing is read again', async () => {
  const { read } = await knowing();
  const late = await commit(START_MS + second + 1);
  // Counted, and three readings.
  expect(await read()).toEqual({ subjects: late, statements: 4 });
  const next = await commit(START_MS + 3 * second);
  expect(await read()).toEqual({ subjects: next, statements: 2 });
});
