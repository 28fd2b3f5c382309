import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { users } from '#db/schema/user.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { firstIdAt, readEvents } from '#domain/outbox/read-events.ts';
import { mayBeLive } from '#domain/overlay/may-be-live.ts';
import { findDock, findOverlay, findOverlayOf, getOverlaySecrets } from '#domain/overlay/overlay.ts';
import { findShownRule, readClosest, readShownPools } from '#domain/overlay/read-board.ts';
import { readMoments } from '#domain/overlay/read-moments.ts';
import {
  openOverlay,
  replaceSecret,
  setOverlay,
  stopOverlay,
  testOverlay,
} from '#domain/overlay/set-overlay.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { goLive } from '#tests/support/stream.ts';
import { watchFor } from '#tests/support/watching.ts';

let db: TestDatabase;
let streamer: Person;
beforeEach(async () => {
  db = await openTestDatabase();
  await addBot(db);
  streamer = await addStreamer(db);
});
afterEach(() => db[Symbol.asyncDispose]());

const open = () => openOverlay(db, { userId: streamer.userId, locale: 'ru' }, START_MS);
const secrets = async () => (await getOverlaySecrets(db.read, streamer.userId)) ?? { overlay: '', dock: '' };
const hideName = ({ userId }: Person) =>
  db.transaction((tx) => tx.update(users).set({ hidesName: true }).where(eq(users.id, userId)));
const eventsOf = async (kind?: 'overlay.changed' | 'overlay.tested' | 'reward.changed') =>
  readEvents(db, { afterId: firstIdAt(0), userId: streamer.userId, kind });

test('A streamer has one overlay, found by the secret of its address and not by that of the dock', async () => {
  const [first, second] = [await open(), await open()];
  expect(second).toEqual(first);
  expect(first).toMatchObject({
    locale: 'ru',
    ruleId: null,
    isCalm: false,
    hasSound: false,
    stoppedAtMs: null,
  });
  const { overlay, dock } = await secrets();
  expect(overlay).not.toBe(dock);
  expect([overlay, dock].map((secret) => secret.length)).toEqual([43, 43]);
  expect(await findOverlay(db.read, overlay)).toEqual(first);
  expect(await findDock(db.read, dock)).toEqual(first);
  expect([await findOverlay(db.read, dock), await findDock(db.read, overlay)]).toEqual([null, null]);
});

test('A replaced secret is unknown, the other address stays, and the same request replaces once', async () => {
  const { hashes } = await open();
  const before = await secrets();
  const request = { userId: streamer.userId, door: 'overlay', replaces: hashes.overlay } as const;
  expect(await replaceSecret(db, request, START_MS)).toEqual({ ok: true });
  const after = await secrets();
  expect(await findOverlay(db.read, before.overlay)).toBeNull();
  expect((await findOverlay(db.read, after.overlay))?.userId).toBe(streamer.userId);
  expect(after.dock).toBe(before.dock);
  expect(await replaceSecret(db, request, START_MS)).toEqual({ ok: true });
  expect(await secrets()).toEqual(after);
  expect(await eventsOf('overlay.changed')).toHaveLength(1);
});

test('What is chosen is kept; a rule of somebody else is refused', async () => {
  await open();
  const [own, other] = [await addRule(db, streamer), await addRule(db, await addStreamer(db))];
  const choice = {
    layout: { reward: 'top', winner: null, raffle: 'bottom', pool: 'left', goal: null, next: 'right' },
    ruleId: own,
    locale: 'en',
    isCalm: true,
    hasSound: true,
  } as const;
  const set = (ruleId: string) =>
    setOverlay(db, { userId: streamer.userId, choice: { ...choice, ruleId } }, START_MS);
  expect(await set(other)).toEqual({ ok: false, code: 'ruleUnknown' });
  expect(await set(own)).toEqual({ ok: true });
  expect(await findOverlayOf(db.read, streamer.userId)).toMatchObject(choice);
});

test('Stopping again keeps the first time, and every change is announced once', async () => {
  await open();
  const stop = (stops: boolean, nowMs: number) => stopOverlay(db, { userId: streamer.userId, stops }, nowMs);
  for (const later of [1, 2]) expect(await stop(true, START_MS + later * minute)).toEqual({ ok: true });
  expect((await findOverlayOf(db.read, streamer.userId))?.stoppedAtMs).toBe(START_MS + minute);
  for (const later of [3, 4]) await stop(false, START_MS + later * minute);
  expect((await findOverlayOf(db.read, streamer.userId))?.stoppedAtMs).toBeNull();
  expect(await eventsOf('overlay.changed')).toHaveLength(2);
  expect(await stopOverlay(db, { userId: newId(START_MS), stops: true }, START_MS)).toEqual({
    ok: false,
    code: 'unknown',
  });
});

test('A channel may be live until it is known not to be, which only a followed one is', async () => {
  const isAsked = () => mayBeLive(db.read, streamer.userId);
  expect(await isAsked()).toBe(true);
  await addRule(db, streamer, { name: 'Ten hours together', watchMinutes: 600, rewards: 1 });
  expect(await isAsked()).toBe(false);
  await goLive(db, streamer.twitchId);
  expect(await isAsked()).toBe(true);
});

test('A test is sent once for a request, and to a live channel only if it is wanted there', async () => {
  await open();
  const send = (requestId: string, wantsItLive = false, isMaybeLive = true) =>
    testOverlay(db, { userId: streamer.userId, requestId, mayBeLive: isMaybeLive, wantsItLive }, START_MS);
  const [first, second] = [newId(START_MS), newId(START_MS)];
  expect(await send(first)).toEqual({ ok: false, code: 'live' });
  expect(await eventsOf('overlay.tested')).toEqual([]);
  for (const id of [first, first]) expect(await send(id, true)).toEqual({ ok: true });
  await send(second, false, false);
  expect((await eventsOf('overlay.tested')).map(({ subjectId }) => subjectId)).toEqual([first, second]);
});

test('The board has the pool and who comes closest, and names only who lets others see it', async () => {
  const overlay = await open();
  expect(await findShownRule(db.read, overlay)).toBeNull();
  const [near, far, hidden] = [await addPerson(db), await addPerson(db), await addPerson(db)];
  await hideName(hidden);
  const ruleId = await addRule(db, streamer, { name: 'Ten hours together', watchMinutes: 600, rewards: 3 });
  await watchFor(db, streamer.twitchId, [
    [far.twitchId, 1_800],
    [near.twitchId, 7_200],
    [hidden.twitchId, 3_600],
  ]);
  const nameOf = (person: Person) => `Demo_Person_${Number(person.twitchId) - 50_000}`;
  const watched = (haveSeconds: number) => ({ haveSeconds, needSeconds: 36_000 });
  const rule = await findShownRule(db.read, overlay);
  expect(rule).toEqual({ id: ruleId, name: 'Ten hours together', channelId: streamer.twitchId });
  expect(await readShownPools(db, [ruleId])).toEqual(new Map([[ruleId, { given: 0, pending: 0, free: 3 }]]));
  expect(rule && (await readClosest(db, rule, START_MS))).toEqual({
    ids: [near, hidden, far].map(({ twitchId }) => twitchId),
    next: [
      { name: nameOf(near), watched: watched(7_200) },
      { name: null, watched: watched(3_600) },
      { name: nameOf(far), watched: watched(1_800) },
    ],
    namedIds: expect.toSatisfy((ids: string[]) => {
      expect(ids.toSorted()).toEqual([near.twitchId, far.twitchId].toSorted());
      return true;
    }),
  });
});

test('A chosen rule is shown while it is open, and otherwise the newest', async () => {
  const overlay = await open();
  const older = await addRule(db, streamer, { name: 'Older', rewards: 1 });
  await addRule(db, streamer, { name: 'Newer', rewards: 2, nowMs: START_MS + minute });
  const nameOf = async (ruleId: string | null) =>
    (await findShownRule(db.read, { ...overlay, ruleId }))?.name;
  expect([await nameOf(null), await nameOf(older), await nameOf(newId(START_MS))]).toEqual([
    'Newer',
    'Older',
    'Newer',
  ]);
});

test('A promise is one moment, for its streamer alone, and hidden names stay hidden', async () => {
  const [shown, hidden] = [await addPerson(db), await addPerson(db)];
  await hideName(hidden);
  await promiseTo(db, streamer, [shown, hidden], { name: 'Ten minutes', nowMs: START_MS + minute });
  const eventIds = (await eventsOf()).map(({ id }) => id);
  const moments = await readMoments(db, eventIds);
  expect(moments.map(({ userId, kind, ruleName, atMs }) => [userId, kind, ruleName, atMs])).toEqual([
    [streamer.userId, 'earned', 'Ten minutes', START_MS + minute],
    [streamer.userId, 'earned', 'Ten minutes', START_MS + minute],
  ]);
  expect(moments.map(({ name }) => name).sort()).toEqual([
    `Demo_Person_${Number(shown.twitchId) - 50_000}`,
    null,
  ]);
  expect(moments[0]?.item.name).toBe('Demo case');
  const own = await readEvents(db, { afterId: firstIdAt(0), userId: shown.userId });
  expect(own.length).toBeGreaterThan(0);
  expect(
    await readMoments(
      db,
      own.map(({ id }) => id),
    ),
  ).toEqual([]);
});
