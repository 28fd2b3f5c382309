import { expect, test } from 'vitest';
import { findUnlock } from '#domain/item/find-unlock.ts';
import { day } from '#domain/kernel/time.ts';
import { addStreamer, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const find = (quantity: number, marketHashName = 'Demo case', nowMs = START_MS) =>
  findUnlock(db.read, streamer.userId, [{ appId: 730, marketHashName, quantity }], nowMs);
const UNLOCK_MS = 7 * day;

test('What only the lock holds back is available when enough of it unlocks', async () => {
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  await deposit(db, streamer, [asset()], START_MS - 2 * day);
  await deposit(db, streamer, [asset()], START_MS - day);
  await deposit(db, await addStreamer(db), [asset(), asset()], START_MS);
  expect(await find(1)).toBeNull();
  expect(await find(2)).toEqual({ name: 'Demo case', untilMs: START_MS - 2 * day + UNLOCK_MS });
  expect(await find(3)).toEqual({ name: 'Demo case', untilMs: START_MS - day + UNLOCK_MS });
  expect(await find(4)).toBeNull();
  expect(await find(1, 'Another case')).toBeNull();
  expect(await find(3, 'Demo case', START_MS - day + UNLOCK_MS)).toBeNull();
});

test('The first kind that lacks decides', async () => {
  await deposit(db, streamer, [asset(), asset('Demo knife')], START_MS - day);
  const untilMs = START_MS - day + UNLOCK_MS;
  const kinds = ['Demo knife', 'Nothing of it'].map((marketHashName) => ({
    appId: 730,
    marketHashName,
    quantity: 1,
  }));
  const inOrder = (asked: typeof kinds) => findUnlock(db.read, streamer.userId, asked, START_MS);
  expect(await inOrder(kinds)).toEqual({ name: 'Demo knife', untilMs });
  expect(await inOrder(kinds.toReversed())).toBeNull();
  expect(await inOrder([])).toBeNull();
  await deposit(db, streamer, [asset('Demo hat')], START_MS - 8 * day);
  const enough = { appId: 730, marketHashName: 'Demo hat', quantity: 1 };
  expect(await inOrder([enough, ...kinds])).toEqual({ name: 'Demo knife', untilMs });
});
