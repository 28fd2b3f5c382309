import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Asset } from '#db/schema/asset.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { setAsideAsset } from '#domain/custody/set-aside-asset.ts';
import { newId } from '#domain/kernel/id.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { recordCapacity } from '#domain/transfer/record-capacity.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { waitForRoom } from '#domain/transfer/wait-for-room.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { assetsIn, itemsOf, stepsOf, transferOf } from '#tests/support/looking.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

const FORTRESS = 440;
const hats = (count: number): Asset[] =>
  Array.from({ length: count }, () => asset('Demo hat', { appId: FORTRESS }));
const rifles = (count: number): Asset[] => Array.from({ length: count }, () => asset());

async function request(assets: readonly Asset[]) {
  const { userId } = await addPerson(db);
  return requestDeposit(db, { requestId: newId(START_MS), userId, assets }, START_MS, Date.now());
}
async function requested(assets: readonly Asset[]): Promise<string> {
  const answer = await request(assets);
  if (!answer.ok) throw new Error(answer.code);
  return answer.transferId;
}
/** Records what Steam tells of a bot's backpack; `others` are assets that belong to no item. */
const report = (botId: string, slots: number, assetIds: readonly string[] = []) =>
  recordCapacity(db, { botId, appId: FORTRESS, slots, assetIds });
const lease = async (botId: string) =>
  (await leaseTransfers(db, { botId, holder: 'test', limit: 9 }, START_MS, Date.now())).map(({ id }) => id);
const wait = (botId: string) => waitForRoom(db, { botId }, { nowMs: START_MS, systemMs: Date.now() });

test('A bot takes no more of a game than its account has slots for; other games have room of their own', async () => {
  const botId = await addBot(db);
  await report(botId, 50);
  expect(await request(hats(51))).toEqual({ ok: false, code: 'botsFull' });
  expect(await request(hats(50))).toMatchObject({ ok: true });
  expect(await request(rifles(800))).toMatchObject({ ok: true });
  expect(await request(hats(51))).toEqual({ ok: false, code: 'botsFull' });
});

test('What fills an account besides custody takes room; an item in custody is not counted twice', async () => {
  const botId = await addBot(db);
  const streamer = await addPerson(db);
  await deposit(db, streamer, hats(3));
  const held = (await itemsOf(db, streamer.userId)).map(({ assetId }) => assetId);
  await report(botId, 50, [...held, 'medal-1', 'medal-2']);
  expect(await request(hats(46))).toEqual({ ok: false, code: 'botsFull' });
  expect(await request(hats(45))).toMatchObject({ ok: true });
});

test('What the operator set aside as their own takes room like anything else that is not in custody', async () => {
  const botId = await addBot(db);
  const streamer = await addPerson(db);
  await deposit(db, streamer, hats(3));
  const held = (await itemsOf(db, streamer.userId)).map(({ assetId }) => assetId);
  const own = hats(20);
  await recordUnknownAssets(db, { botId, appId: FORTRESS, found: own }, START_MS);
  for (const { assetId } of own.slice(0, 15))
    await setAsideAsset(db, { botId, appId: FORTRESS, assetId }, START_MS);
  await report(botId, 50, [...held, ...own.map(({ assetId }) => assetId)]);
  expect(await request(hats(28))).toEqual({ ok: false, code: 'botsFull' });
  expect(await request(hats(27))).toMatchObject({ ok: true });
});

test('A bot of whose slots Steam tells nothing has the room that bots usually have', async () => {
  const [full, silent] = [await addBot(db), await addBot(db)];
  await report(full, 2, ['a', 'b', 'c']);
  expect(await request(hats(901))).toEqual({ ok: false, code: 'botsFull' });
  const transferId = await requested(hats(80));
  expect(await transferOf(db, transferId)).toMatchObject({ botId: silent });
});

test('A deposit that fills one game of a bot leaves the others their turn, and passes on or waits', async () => {
  const botId = await addBot(db);
  await report(botId, 12);
  const first = await requested(hats(10));
  expect(await lease(botId)).toEqual([first]);
  const waiting = await requested(hats(5));
  const other = await requested(rifles(90));
  expect(await lease(botId)).toEqual([other]);
  await wait(botId);
  expect(await stepsOf(db, waiting)).toEqual(['requested', 'waitsForRoom']);
  const roomy = await addBot(db);
  await report(roomy, 300);
  await wait(botId);
  expect(await transferOf(db, waiting)).toMatchObject({ botId: roomy });
  expect(await lease(roomy)).toEqual([waiting]);
});

test('A deposit of two games goes out as one offer where it fits, and as one of each where it does not', async () => {
  const [small, large] = [await addBot(db), await addBot(db)];
  await report(small, 2);
  await report(large, 40);
  const together = await requested([...hats(3), ...rifles(2), ...hats(1)]);
  expect(await transferOf(db, together)).toMatchObject({ batchId: null, botId: large });
  expect(await assetsIn(db, together)).toHaveLength(6);
  await report(large, 4);
  const apart = await requested([...rifles(99), ...hats(4)]);
  expect(await transferOf(db, apart)).toMatchObject({ batchId: apart });
});
