import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { insertManyInto } from '#db/write.ts';
import { pruneAccess } from '#domain/identity/access/prune-access.ts';
import { day } from '#domain/kernel/time.ts';
import { pruneSeen } from '#domain/twitch-event/seen-messages.ts';
import { withOthers } from '#tests/support/crowd.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const OLD = 4100;
const FIRST = 2500;
const NEW = 3;
const NOW_MS = START_MS + 40 * day;
const insertMails = insertManyInto(mails, 'mails');
const insertSeen = insertManyInto(seenMessages, 'seen_messages');
const ids = Array.from({ length: OLD + NEW }, (_, place) => `id-${place}`);
const timeOf = (place: number) => (place < OLD ? START_MS : NOW_MS);

/** The database, and how many rows each transaction deleted. */
function countingDeleted(left: () => Promise<number>) {
  const deleted: number[] = [];
  let before = OLD + NEW;
  const store = withOthers(db, async () => {
    const now = await left();
    if (now < before) deleted.push(before - now);
    before = now;
  });
  return { store, deleted };
}

test('Old mails are deleted a few at a time, and others stay', async () => {
  const row = {
    recipient: 'demo@example.org',
    template: 'rewardPromised',
    locale: 'en',
    values: {},
  } as const;
  const rows = ids.map((id, place) => ({ ...row, id, createdAtMs: timeOf(place), runAtMs: 0 }));
  await db.transaction(async (tx) => void (await insertMails(tx, rows)));
  const { store, deleted } = countingDeleted(() => db.read.$count(mails));
  await pruneAccess(store, NOW_MS, NOW_MS);
  expect(deleted).toEqual([FIRST, OLD - FIRST]);
  expect(await db.read.$count(mails)).toBe(NEW);
});

test('Old messages of Twitch are deleted a few at a time, and others stay', async () => {
  const rows = ids.map((id, place) => ({ id, seenAtMs: timeOf(place) }));
  await db.transaction(async (tx) => void (await insertSeen(tx, rows)));
  const { store, deleted } = countingDeleted(() => db.read.$count(seenMessages));
  await pruneSeen(store, NOW_MS);
  expect(deleted).toEqual([FIRST, OLD - FIRST]);
  expect(await db.read.$count(seenMessages)).toBe(NEW);
});
