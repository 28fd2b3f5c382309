import { expect, test } from 'vitest';
import { stripeEvents } from '#db/schema/billing.ts';
import { day, minute, second } from '#domain/kernel/time.ts';
import {
  deferEvent,
  listEventsDue,
  markHandled,
  nextEventDueMs,
  pruneEvents,
  receiveEvents,
} from '#domain/subscription/event-inbox.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';

setScene();

const eventOf = (id: string) => ({ id, type: 'invoice.paid', customerId: 'cus', objectId: 'in' });
const receive = async (id: string, nowMs = START_MS) =>
  (await receiveEvents(db, [eventOf(id)], nowMs)).has(id);
const due = async (nowMs = START_MS, limit = 10) => listEventsDue(db, nowMs, limit);
const idsDue = async (nowMs?: number, limit?: number) => (await due(nowMs, limit)).map(({ id }) => id);
const handle = (id: string, nowMs = START_MS) => db.transaction((tx) => markHandled(tx, id, nowMs));

test('An event is handled once, however often it is delivered', async () => {
  expect(await nextEventDueMs(db, START_MS)).toBeNull();
  expect(await receive('evt_1')).toBe(true);
  expect(await receive('evt_1')).toBe(false);
  expect(await receive('evt_2')).toBe(true);
  expect(await nextEventDueMs(db, START_MS)).toBe(0);
  expect(await idsDue()).toEqual(['evt_1', 'evt_2']);
  expect(await idsDue(START_MS, 1)).toEqual(['evt_1']);
  expect(await handle('evt_1')).toBe(true);
  expect(await handle('evt_1')).toBe(false);
  expect(await idsDue()).toEqual(['evt_2']);
  expect(await receive('evt_1')).toBe(false);
  expect(await handle('evt_2')).toBe(true);
  expect(await nextEventDueMs(db, START_MS)).toBeNull();
});

test('Events that arrive together are stored together, each once', async () => {
  await receive('evt_known');
  const many = Array.from({ length: 1001 }, (_, each) => `evt_${each}`);
  const fresh = await receiveEvents(db, ['evt_known', 'evt_0', ...many].map(eventOf), START_MS);
  expect([...fresh].sort()).toEqual([...many].sort());
  expect(await db.read.$count(stripeEvents)).toBe(1002);
  expect(await receiveEvents(db, [], START_MS)).toEqual(new Set());
});

test('An event that cannot be handled comes again after pauses that double, up to half an hour', async () => {
  await receive('evt');
  await receive('evt_later');
  await handle('evt_later');
  let nowMs = START_MS;
  const pauses: number[] = [];
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    const [event] = await due(nowMs);
    await deferEvent(db, event!, nowMs);
    expect(await db.read.select().from(stripeEvents)).toContainEqual(
      expect.objectContaining({ id: 'evt', attempts: attempt }),
    );
    const pauseMs = (await nextEventDueMs(db, nowMs)) ?? 0;
    expect(await idsDue(nowMs + pauseMs - 1)).toEqual([]);
    expect(await idsDue(nowMs + pauseMs)).toEqual(['evt']);
    pauses.push(pauseMs / second);
    nowMs += pauseMs;
  }
  expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 1800, 1800, 1800]);
});

test('The event that waits longest comes first, and what is overdue is due now', async () => {
  await receive('evt_1');
  await receive('evt_2');
  const [first] = await due();
  await deferEvent(db, first!, START_MS);
  expect(await nextEventDueMs(db, START_MS)).toBe(0);
  await handle('evt_2');
  expect(await nextEventDueMs(db, START_MS + minute)).toBe(0);
  await receive('evt_3', START_MS + minute);
  expect(await idsDue(START_MS + minute)).toEqual(['evt_3', 'evt_1']);
});

test('An event is forgotten when Stripe cannot send it again, and not a millisecond earlier', async () => {
  await receive('evt_1');
  await receive('evt_2', START_MS + 1);
  await pruneEvents(db, START_MS + 35 * day);
  expect(await receive('evt_1')).toBe(false);
  await pruneEvents(db, START_MS + 35 * day + 1);
  expect(await db.read.select({ id: stripeEvents.id }).from(stripeEvents)).toEqual([{ id: 'evt_2' }]);
});

test('However many events are old, all are forgotten', async () => {
  const rows = Array.from({ length: 1001 }, (_, nth) => ({
    id: `evt_${nth}`,
    type: 'x',
    receivedAtMs: START_MS,
  }));
  await db.transaction(async (tx) => {
    await tx.insert(stripeEvents).values(rows);
  });
  await pruneEvents(db, START_MS + 36 * day);
  expect(await db.read.$count(stripeEvents)).toBe(0);
});
